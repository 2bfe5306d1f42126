; Everything that verify warns of or objects to, except for damaged files.
.generation current
.grid square
.radius 1
.reserved-flags 16
.players 1
.city 1,1 codes 0140
.tiles 06 0601060606060606
HETEROGENOUS +10 0,1
 VIEW 0
  OWNER 1 0,0
  OWNER 3 0,0
  FLAG 17 0,0
 VIEW 1
  SHAKE
  BYTES 08aa
HOMOGENOUS +10 0
  OWNER 1 5,5
  CITRES 7 5
  PLAYER 1/4 RESUME
  ITEM 0,0 9
HOMOGENOUS +10 1
  BYTES 8000001000
  BYTES 02
RAW ffff
RAW 8001000001
RAW 8001050001
RAW 8005
