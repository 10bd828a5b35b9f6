#!lua
-- Replace the reflections of a goal if nobody changed them meanwhile, and note the goal as recent.
-- KEYS: goal, recent goals, words …
-- ARGV: expected value, new value, life in ms (0: for ever), goal id, goals kept, now, holders kept
local goal, recent = KEYS[1], KEYS[2]
local life = tonumber(ARGV[3])
if (redis.call('GET', goal) or '') ~= ARGV[1] then
    return 0
end
if redis.call('TYPE', recent).ok == 'string' then -- a JSON array, as the published program writes it
    local readable, ids = pcall(cjson.decode, redis.call('GET', recent))
    if not readable or type(ids) ~= 'table' then
        return redis.error_reply('WRONGTYPE ' .. recent .. ' holds neither a list nor a JSON array')
    end
    redis.call('DEL', recent)
    for _, id in ipairs(ids) do
        redis.call('RPUSH', recent, tostring(id))
    end
end
local lives = {}
for at = 2, #KEYS do -- what several goals share lives as long as the longest-lived of them
    local left = redis.call('PTTL', KEYS[at])
    lives[at] = (left == -1 or life == 0) and 0 or math.max(left, life)
end
redis.call('LREM', recent, 0, ARGV[4])
redis.call('LPUSH', recent, ARGV[4])
redis.call('LTRIM', recent, 0, ARGV[5] - 1)
for at = 3, #KEYS do
    redis.call('ZADD', KEYS[at], ARGV[6], ARGV[4])
    redis.call('ZREMRANGEBYRANK', KEYS[at], 0, -ARGV[7] - 1)
end
redis.call('SET', goal, ARGV[2])
lives[1] = life
for at, key in ipairs(KEYS) do
    if lives[at] > 0 then
        redis.call('PEXPIRE', key, lives[at])
    else
        redis.call('PERSIST', key)
    end
end
return 1
