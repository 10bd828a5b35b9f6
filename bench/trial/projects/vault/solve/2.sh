#!/usr/bin/env bash
. "$(dirname "$0")/lib.sh"
slip 'kind: accession
day: 2026-11-18
title: Ferry to Skarholm
year: 1959
gauge: 16
base: acetate
origin: gift of Marit Oedegaard
weights: 5.4 5.1 5.6' letters/2026-11-10-oedegaard.txt
reel pull 0262
read_can 0262/1 398+27 0.3 A2.03.1; read_can 0262/2 376+05 0.4 A2.03.2; read_can 0262/3 412+00 0.3 A2.03.3
reel refile 0262
finish ir "Ferry to Skarholm taken in"
