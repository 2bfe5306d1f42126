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
HOMOGENOUS +0 0,1,2 ; t=0 len=26
  PLAYER 1/0 JOIN "Ana"
  PLAYER 2/0 JOIN "Борис"
  PLAYER 0 TIMELIMIT 900
HETEROGENOUS +100 0,1,2 ; t=100
 VIEW 0 ; len=9
  OWNER 1 0,0 0,1
  CITTRANS 0 -40
 VIEW 1 ; len=10
  OWNER 1 0,0
  DIGITS 2/0,1
  CITTRANS 0 -40
 VIEW 2 ; len=3
  OWNER 1 0,0
KEEPALIVE ; t=32867
HOMOGENOUS +50 0,2 ; t=32917 len=4
  FLAG 2 -1,1
HOMOGENOUS +250 0,1,2 ; t=33167 len=10
  EXPLODE 0,1
  TILE 0,1 destroyed
  PLAYER 1 LIVES 2
HETEROGENOUS +100 0,1 ; t=33267
 VIEW 0 ; len=4
  CITTRANS 0 15
 VIEW 1 ; len=8
  PLAYER 1/0 CHAT "left"
