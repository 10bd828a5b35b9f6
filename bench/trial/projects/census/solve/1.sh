DEST=$1; . "$(dirname "$0")/lib.sh"
deliver TOU-Q tourism Y25Q3 sources/tourism/2025Q3.csv region
sed -i '/as nights,/a\       safe(round_half_up(1.0 * sum(t.nights) / sum(t.guests), 1), count(*)) as avg_stay,' models/tourism_nights.sql
publish TOU-Q tourism_nights Y25Q3
