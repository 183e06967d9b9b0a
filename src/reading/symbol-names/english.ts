/** A character and its name on each line: from CLDR's annotations, version 48.2 (Unicode-3.0). */
export const SYMBOL_NAMES = `
¢ cent
£ pound
¥ yen
§ section
© copyright
¬ negation
® registered
° degree
± plus-minus
² superscript two
³ superscript three
¶ paragraph mark
¹ superscript one
× multiplication sign
÷ division sign
‰ per mille
※ reference mark
⁄ fraction slash
⁻ superscript minus
₢ cruzeiro
₣ french franc
₤ lira
₥ mill
₨ rupee
₩ won
€ euro
₰ german penny
₱ peso
₳ austral
₶ livre tournois
₷ spesmilo
₹ indian rupee
₽ ruble
₿ bitcoin
℗ sound recording copyright
™ trade mark
← left-pointing arrow
↑ up-pointing arrow
→ right-pointing arrow
↓ down-pointing arrow
↔ left-right arrow
↕ up-down arrow
↖ up-left arrow
↗ up-right arrow
↘ down-right arrow
↙ down-left arrow
↚ leftwards arrow stroke
↛ rightwards arrow stroke
↜ leftwards wave arrow
↝ rightwards wave arrow
↞ leftwards two headed arrow
↟ upwards two headed arrow
↠ rightwards two headed arrow
↡ downwards two headed arrow
↢ leftwards arrow tail
↣ rightwards arrow tail
↤ leftwards arrow from bar
↥ upwards arrow from bar
↦ rightwards arrow from bar
↧ downwards arrow from bar
↨ up down arrow with base
↩ right arrow curving left
↪ left arrow curving right
↫ leftwards arrow loop
↬ rightwards arrow loop
↭ left right wave arrow
↮ left right arrow stroke
↯ downwards zigzag arrow
↰ upwards arrow tip leftwards
↱ upwards arrow tip rightwards
↲ downwards arrow tip leftwards
↳ downwards arrow tip rightwards
↴ rightwards arrow corner downwards
↵ downwards arrow corner leftwards
↶ anticlockwise top semicircle arrow
↷ clockwise top semicircle arrow
↸ north west arrow long bar
↹ leftwards over rightwards arrow bars
↺ anticlockwise open circle arrow
↻ clockwise open circle arrow
↼ leftwards harpoon barb upwards
↽ leftwards harpoon barb downwards
↾ upwards harpoon barb rightwards
↿ upwards harpoon barb leftwards
⇀ rightwards harpoon barb upwards
⇁ rightwards harpoon barb downwards
⇂ downwards harpoon barb rightwards
⇃ downwards harpoon barb leftwards
⇄ rightwards arrow over leftwards arrow
⇅ up-pointing and down-pointing arrows
⇆ left-pointing over right-pointing arrows
⇇ leftwards paired arrows
⇈ upwards paired arrows
⇉ rightwards paired arrows
⇊ downwards paired arrows
⇋ leftwards harpoon over rightwards harpoon
⇌ rightwards harpoon over leftwards harpoon
⇍ leftwards double arrow stroke
⇎ left right double arrow stroke
⇏ rightwards double arrow stroke
⇐ leftwards double arrow
⇑ upwards double arrow
⇒ rightwards double arrow
⇓ downwards double arrow
⇔ left right double arrow
⇖ north west double arrow
⇗ north east double arrow
⇘ south east double arrow
⇙ south west double arrow
⇚ leftwards triple arrow
⇛ rightwards triple arrow
⇜ leftwards squiggle arrow
⇝ rightwards squiggle arrow
⇞ upwards arrow double stroke
⇟ downwards arrow double stroke
⇠ leftwards dashed arrow
⇡ upwards dashed arrow
⇢ rightwards dashed arrow
⇣ downwards dashed arrow
⇤ leftwards arrow bar
⇥ rightwards arrow bar
⇦ leftwards hollow arrow
⇧ upwards hollow arrow
⇨ rightwards hollow arrow
⇩ downwards hollow arrow
⇪ upwards hollow arrow from bar
⇵ downwards arrow leftwards upwards arrow
∀ for all
∂ partial differential
∃ there exists
∅ empty set
∆ increment
∇ nabla
∈ element of
∉ not an element
∋ contains as member
∎ end proof
∏ n-ary product
∑ n-ary summation
− minus sign
∓ minus-or-plus
∕ division slash
∗ asterisk operator
∘ ring operator
∙ bullet operator
√ square root
∝ proportional
∞ infinity sign
∟ right angle
∠ angle
∣ divides
∥ parallel
∧ logical and
∩ intersection
∪ union
∫ integral
∬ double integral
∮ contour integral
∴ therefore
∵ because
∶ ratio
∷ proportion
∼ tilde operator
∽ reversed tilde
∾ inverted lazy s
≃ asymptotically equal
≅ approximately equal
≈ almost equal
≌ all equal
≒ approximately equal the image
≖ ring in equal
≠ not equal
≡ identical to
≣ strictly equivalent
≤ less-than or equal
≥ greater-than or equal
≦ less-than over equal
≧ greater-than over equal
≪ much less-than
≫ much greater-than
≬ between
≮ not less-than
≯ not greater-than
≳ greater-than equivalent
≺ precedes
≻ succeeds
⊁ does not succeed
⊂ subset of
⊃ superset
⊆ subset equal
⊇ superset equal
⊕ circled plus
⊖ circled minus
⊗ circled times
⊘ circled division slash
⊙ circled dot operator
⊚ circled ring operator
⊛ circled asterisk operator
⊞ squared plus
⊟ squared minus
⊥ up tack
⊮ does not force
⊰ precedes under relation
⊱ succeeds under relation
⊶ original
⊹ hermitian conjugate matrix
⊿ right triangle
⋁ n-ary logical or
⋂ n-ary intersection
⋃ n-ary union
⋅ dot operator
⋆ star operator
⋈ natural join
⋒ double intersection
⋘ very much less-than
⋙ very much greater-than
⋭ does not contain as normal subgroup equal
⋮ vertical ellipsis
⋯ midline horizontal ellipsis
⋰ up right diagonal ellipsis
⋱ down right diagonal ellipsis
⌚ watch
⌛ hourglass done
⌨ keyboard
⏏ eject button
⏩ fast-forward button
⏪ fast reverse button
⏫ fast up button
⏬ fast down button
⏭ next track button
⏮ last track button
⏯ play or pause button
⏰ alarm clock
⏱ stopwatch
⏲ timer clock
⏳ hourglass not done
⏸ pause button
⏹ stop button
⏺ record button
Ⓜ circled M
■ filled square
□ hollow square
▢ hollow square with rounded corners
▣ hollow square containing filled square
▤ square with horizontal fill
▥ square with vertical fill
▦ square orthogonal crosshatch fill
▧ square upper left lower right fill
▨ square upper right lower left fill
▩ square diagonal crosshatch fill
▪ black small square
▫ white small square
▬ filled rectangle
▭ hollow rectangle
▮ filled vertical rectangle
▰ filled parallelogram
▲ filled up-pointing triangle
△ hollow up-pointing triangle
▴ filled up-pointing small triangle
▵ hollow up-pointing small triangle
▶ play button
▷ hollow right-pointing triangle
▸ filled right-pointing small triangle
▹ hollow right-pointing small triangle
► filled right-pointing pointer
▻ hollow right-pointing pointer
▼ filled down-pointing triangle
▽ hollow down-pointing triangle
▾ filled down-pointing small triangle
▿ hollow down-pointing small triangle
◀ reverse button
◁ hollow left-pointing triangle
◂ filled left-pointing small triangle
◃ hollow left-pointing small triangle
◄ filled left-pointing pointer
◅ hollow left-pointing pointer
◆ filled diamond
◇ hollow diamond
◈ hollow diamond containing filled diamond
◉ hollow circle containing filled circle
◊ lozenge
○ hollow circle
◌ dotted circle
◍ circle with vertical fill
◎ concentric circles
● filled circle
◐ circle left half filled
◑ circle right half filled
◒ circle lower half filled
◓ circle upper half filled
◔ circle upper right quadrant filled
◕ circle all but upper left quadrant filled
◖ left half filled circle
◗ right half filled circle
◘ inverse bullet
◙ filled square containing hollow circle
◜ upper left quadrant circular arc
◝ upper right quadrant circular arc
◞ lower right quadrant circular arc
◟ lower left quadrant circular arc
◠ upper half circle
◡ lower half circle
◢ filled lower right triangle
◣ filled lower left triangle
◤ filled upper left triangle
◥ filled upper right triangle
◦ hollow bullet
◯ large hollow circle
◳ hollow square upper right quadrant
◷ hollow circle with upper right quadrant
◻ white medium square
◼ black medium square
◽ white medium-small square
◾ black medium-small square
◿ lower right triangle
☀ sun
☁ cloud
☂ umbrella
☃ snowman
☄ comet
☎ telephone
☑ check box with check
☔ umbrella with rain drops
☕ hot beverage
☘ shamrock
☝ index pointing up
☠ skull and crossbones
☢ radioactive
☣ biohazard
☦ orthodox cross
☪ star and crescent
☮ peace symbol
☯ yin yang
☸ wheel of dharma
☹ frowning face
☺ smiling face
♀ female sign
♂ male sign
♈ Aries
♉ Taurus
♊ Gemini
♋ Cancer
♌ Leo
♍ Virgo
♎ Libra
♏ Scorpio
♐ Sagittarius
♑ Capricorn
♒ Aquarius
♓ Pisces
♟ chess pawn
♠ spade suit
♣ club suit
♥ heart suit
♦ diamond suit
♨ hot springs
♪ eighth note
♭ flat
♯ sharp
♻ recycling symbol
♾ infinity
♿ wheelchair symbol
⚒ hammer and pick
⚓ anchor
⚔ crossed swords
⚕ medical symbol
⚖ balance scale
⚗ alembic
⚙ gear
⚛ atom symbol
⚜ fleur-de-lis
⚠ warning
⚡ high voltage
⚧ transgender symbol
⚪ white circle
⚫ black circle
⚰ coffin
⚱ funeral urn
⚽ soccer ball
⚾ baseball
⛄ snowman without snow
⛅ sun behind cloud
⛈ cloud with lightning and rain
⛎ Ophiuchus
⛏ pick
⛑ rescue worker’s helmet
⛓ chains
⛔ no entry
⛩ shinto shrine
⛪ church
⛰ mountain
⛱ umbrella on ground
⛲ fountain
⛳ flag in hole
⛴ ferry
⛵ sailboat
⛷ skier
⛸ ice skate
⛹ person bouncing ball
⛺ tent
⛽ fuel pump
✂ scissors
✅ check mark button
✈ airplane
✉ envelope
✊ raised fist
✋ raised hand
✌ victory hand
✍ writing hand
✏ pencil
✒ black nib
✔ check mark
✖ multiply
✝ latin cross
✡ star of David
✨ sparkles
✳ eight-spoked asterisk
✴ eight-pointed star
❄ snowflake
❇ sparkle
❌ cross mark
❎ cross mark button
❓ red question mark
❔ white question mark
❕ white exclamation mark
❗ red exclamation mark
❣ heart exclamation
❤ red heart
➕ plus
➖ minus
➗ divide
➡ right arrow
➰ curly loop
➿ double curly loop
⤴ right arrow curving up
⤵ right arrow curving down
⨧ plus subscript two
⨯ vector cross product
⨼ interior product
⩣ logical or double underbar
⩽ less-than slanted equal
⪍ less-than above similar equal
⪚ double-line equal greater-than
⪺ succeeds above not almost equal
⬅ left arrow
⬆ up arrow
⬇ down arrow
⬛ black large square
⬜ white large square
⭐ star
⭕ hollow red circle
㊗ Japanese “congratulations” button
㊙ Japanese “secret” button
﷼ rial
`
