.generation current
.version 0.0.1.0
.grid hex
.radius 2
.players 2
.sub-players 1
.compress no
.city 1,0 "zze"
; two digits a tile, item and kind, ring by ring from the centre
.tiles 06
.tiles 062606260616
.tiles 000002020703030707000000
; two digits a tile, the city of its region, ff for none
.regions ff
.regions ffffffffffff
.regions ffffffffffffffffffffffff
HOMOGENOUS +0 0,1,2 ; t=0 len=14
  PLAYER 1/0 JOIN "Ana"
  PLAYER 2/0 JOIN "Ben"
HOMOGENOUS +100 0 ; t=100 len=5
  OWNER 1 0,0 0,1
HOMOGENOUS +100 1 ; t=200 len=6
  OWNER 1 0,0
  DIGITS 2/0,1
