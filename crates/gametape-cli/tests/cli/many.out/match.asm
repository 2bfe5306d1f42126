.generation current
.version 0.0.1.0
.grid hex
.radius 2
.players 2
.sub-players 1
.compress yes
.city 1,0 "berofyar"
.city -1,-1 "zze"
; two digits a tile, item and kind, ring by ring from the centre
.tiles 06
.tiles 062606260616
.tiles 000002020703030707000000
; two digits a tile, the city of its region, ff for none
.regions 00
.regions 010100000001
.regions ffff00000000000101ffffff
HOMOGENOUS +0 0,1,2 ; t=0 len=21
  PLAYER 1/0 JOIN "Ana"
  PLAYER 2/0 JOIN "Борис"
HETEROGENOUS +100 0,1,2 ; t=100
 VIEW 0 ; len=6
  OWNER 1 0,0
  OWNER 2 1,0
 VIEW 1 ; len=3
  OWNER 1 0,0
 VIEW 2 ; len=3
  OWNER 2 1,0
KEEPALIVE ; t=32867
HOMOGENOUS +50 0,1 ; t=32917 len=8
  FLAG 1 -1,1
  PLAYER 1 LIVES 2
