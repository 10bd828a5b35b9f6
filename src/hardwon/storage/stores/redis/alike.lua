-- The goals that hold most of the asked words: {holders of each word, {place, goal id, value} …}.
-- ARGV: holders read, goals wanted, number of places, two prefixes for each place, words …
local read, wanted, places = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local first = 4 + 2 * places
local counts, score, ranked = {}, {}, {}
for at = first, #ARGV do
    local holders = {}
    for place = 1, places do
        local ids = redis.call('ZREVRANGE', ARGV[3 + 2 * place] .. ARGV[at], 0, read - 1)
        for _, id in ipairs(ids) do
            holders[#holders + 1] = place .. ' ' .. id
        end
    end
    counts[at - first + 1] = #holders
    local weight = math.log(1 + read / math.max(1, math.min(#holders, read)))
    for _, holder in ipairs(holders) do
        if not score[holder] then
            ranked[#ranked + 1] = holder
        end
        score[holder] = (score[holder] or 0) + weight
    end
end
table.sort(ranked, function(a, b)
    return score[a] > score[b] or (score[a] == score[b] and a < b)
end)
local found = {}
for at = 1, math.min(#ranked, wanted) do
    local place, id = ranked[at]:match('^(%d+) (.*)$')
    local escaped = (id == 'recent_goals' or id:sub(1, 1) == '%') and '%' .. id or id
    local value = redis.pcall('GET', ARGV[2 + 2 * place] .. 'reflection:' .. escaped)
    if type(value) == 'string' then
        found[#found + 1] = {tonumber(place) - 1, id, value}
    end
end
return {counts, found}
