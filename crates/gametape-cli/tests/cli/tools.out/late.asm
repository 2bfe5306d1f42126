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
HETEROGENOUS +0 0,1,2 ; t=0
 VIEW 0 ; len=35
  OWNER 1 0,0 0,1
  CITTRANS 0 0
  PLAYER 1/0 JOIN "Ana"
  PLAYER 2/0 JOIN "Борис"
  PLAYER 0 TIMELIMIT 900
 VIEW 1 ; len=36
  OWNER 1 0,0
  DIGITS 2/0,1
  CITTRANS 0 0
  PLAYER 1/0 JOIN "Ana"
  PLAYER 2/0 JOIN "Борис"
  PLAYER 0 TIMELIMIT 900
 VIEW 2 ; len=29
  OWNER 1 0,0
  PLAYER 1/0 JOIN "Ana"
  PLAYER 2/0 JOIN "Борис"
  PLAYER 0 TIMELIMIT 900
HOMOGENOUS +17 0,2 ; t=17 len=4
  FLAG 2 -1,1
HOMOGENOUS +250 0,1,2 ; t=267 len=10
  EXPLODE 0,1
  TILE 0,1 destroyed
  PLAYER 1 LIVES 2
HETEROGENOUS +33 - ; t=300
