-- The reflections of the recent goals: {place, goal id, value} for each.
-- ARGV: goals kept, then the key prefix of each place
local found = {}
for place = 2, #ARGV do
    local recent = ARGV[place] .. 'reflection:recent_goals'
    local kind, ids = redis.call('TYPE', recent).ok, {}
    if kind == 'string' then -- a JSON array, as the published program writes it
        local readable, listed = pcall(cjson.decode, redis.call('GET', recent))
        ids = readable and type(listed) == 'table' and listed or {}
    elseif kind ~= 'none' then
        ids = redis.call('LRANGE', recent, 0, ARGV[1] - 1)
    end
    for at = 1, math.min(#ids, tonumber(ARGV[1])) do
        local id = tostring(ids[at])
        local escaped = (id == 'recent_goals' or id:sub(1, 1) == '%') and '%' .. id or id
        local value = redis.pcall('GET', ARGV[place] .. 'reflection:' .. escaped)
        if type(value) == 'string' then
            found[#found + 1] = {place - 2, id, value}
        end
    end
end
return found
