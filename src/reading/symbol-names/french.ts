/** A character and its name on each line: from CLDR's annotations, version 48.2 (Unicode-3.0). */
export const SYMBOL_NAMES = `
¢ cent
£ livre
¥ yen
§ section
© symbole copyright
¬ négation
® marque déposée
° degré
± plus-moins
² exposant deux
³ exposant trois
¶ marque de paragraphe
¹ exposant un
× signe de multiplication
÷ signe de division
‰ pour mille
※ marque de référence
⁄ barre oblique de fraction
⁻ exposant moins
₢ cruzeiro
₣ franc français
₤ lire
₥ mill
₨ roupie
₩ won
€ euro
₰ penny allemand
₱ peso
₳ austral
₶ livre tournois
₷ spesmilo
₹ roupie indienne
₽ rouble
₿ bitcoin
℗ copyright phonographique
™ marque commerciale déposée
← flèche vers la gauche
↑ flèche vers le haut
→ flèche vers la droite
↓ flèche vers le bas
↔ flèche gauche droite
↕ flèche haut bas
↖ flèche haut gauche
↗ flèche haut droite
↘ flèche bas droite
↙ flèche bas gauche
↚ flèche vers la gauche barrée
↛ flèche vers la droite barrée
↜ flèche vers la gauche ondulée
↝ flèche vers la droite ondulée
↞ flèche à deux pointes vers la gauche
↟ flèche à deux pointes vers le haut
↠ flèche à deux pointes vers la droite
↡ flèche à deux pointes vers le bas
↢ flèche vers la gauche avec empenne
↣ flèche vers la droite avec empenne
↤ flèche d’un taquet vers la gauche
↥ flèche d’un taquet vers le haut
↦ flèche d’un taquet vers la droite
↧ flèche d’un taquet vers le bas
↨ flèche haut-bas sur base
↩ flèche courbe gauche
↪ flèche courbe droite
↫ flèche vers la gauche avec boucle
↬ flèche vers la droite avec boucle
↭ flèche gauche-droite ondulée
↮ flèche gauche-droite barrée
↯ flèche vers le bas en zigzag
↰ flèche vers le haut avec pointe vers la gauche
↱ flèche vers le haut avec pointe vers la droite
↲ flèche vers le bas avec pointe vers la gauche
↳ flèche vers le bas avec pointe vers la droite
↴ flèche vers la droite avec coin vers le bas
↵ flèche vers le bas avec coin vers la gauche
↶ flèche semi-circulaire sens antihoraire en chef
↷ flèche semi-circulaire sens horaire en chef
↸ flèche nord-ouest jusqu’à un long taquet
↹ flèches gauche et droite superposées avec taquets
↺ flèche circulaire ouverte sens antihoraire
↻ flèche circulaire ouverte sens horaire
↼ harpon vers la gauche avec barbillon vers le haut
↽ harpon vers la gauche avec barbillon vers le bas
↾ harpon vers le haut avec barbillon vers la droite
↿ harpon vers le haut avec barbillon vers la gauche
⇀ harpon vers la droite avec barbillon vers le haut
⇁ harpon vers la droite avec barbillon vers le bas
⇂ harpon vers le bas avec barbillon vers la droite
⇃ harpon vers le bas avec barbillon vers la gauche
⇄ flèche vers la droite sur flèche vers la gauche
⇅ flèches vers le haut et vers le bas
⇆ flèche gauche au-dessus de flèche droite
⇇ paire de flèches vers la gauche
⇈ paire de flèches vers le haut
⇉ paire de flèches vers la droite
⇊ paire de flèches vers le bas
⇋ harpon vers la gauche sur harpon vers la droite
⇌ harpon vers la droite sur harpon vers la gauche
⇍ double flèche vers la gauche barrée
⇎ double flèche gauche-droite barrée
⇏ double flèche vers la droite barrée
⇐ flèche double vers la gauche
⇑ flèche double vers le haut
⇒ flèche double vers la droite
⇓ flèche double vers le bas
⇔ flèche double vers la gauche et la droite
⇖ flèche double vers le nord-ouest
⇗ flèche double vers le nord-est
⇘ flèche double vers le sud-est
⇙ flèche double vers le sud-ouest
⇚ flèche triple vers la gauche
⇛ flèche triple vers la droite
⇜ flèche vers la gauche en tire-bouchon
⇝ flèche vers la droite en tire-bouchon
⇞ flèche vers le haut avec double barre
⇟ flèche vers le bas avec double barre
⇠ flèche pointillée vers la gauche
⇡ flèche pointillée vers le haut
⇢ flèche pointillée vers la droite
⇣ flèche pointillée vers le bas
⇤ flèche vers la gauche jusqu’à un taquet
⇥ flèche vers la droite jusqu’à un taquet
⇦ flèche creuse vers la gauche
⇧ flèche creuse vers le haut
⇨ flèche creuse vers la droite
⇩ flèche creuse vers le bas
⇪ flèche creuse d’un taquet vers le haut
⇵ flèche vers le bas à gauche d’une flèche vers le haut
∀ pour tout
∂ dérivée partielle
∃ il existe
∅ ensemble vide
∆ incrément
∇ nabla
∈ appartient à
∉ n’appartient pas
∋ contient comme élément
∎ fin d’article
∏ produit de la famille
∑ sommation de la famille
− signe moins
∓ plus ou moins
∕ barre oblique de division
∗ opérateur astérisque
∘ opérateur rond
∙ opérateur puce
√ racine carrée
∝ proportionnel
∞ symbole de l’infini
∟ angle droit
∠ angle
∣ est un diviseur de
∥ parallèle
∧ et logique
∩ intersection
∪ union
∫ intégrale
∬ double intégrale
∮ intégrale de contour
∴ par conséquent
∵ parce que
∶ rapport
∷ proportion
∼ opérateur tilde
∽ tilde renversé
∾ s couché renversé
≃ asymptotiquement égal à
≅ approximativement égal à
≈ presque égal
≌ entièrement égal à
≒ approximativement égal à ou image de
≖ rond dans égal
≠ non égal
≡ identique à
≣ strictement équivalent à
≤ inférieur ou égal
≥ supérieur ou égal
≦ inférieur à sur égal à
≧ supérieur à sur égal à
≪ très inférieur à
≫ très supérieur à
≬ entre
≮ pas inférieur à
≯ pas supérieur à
≳ supérieur ou équivalent à
≺ précède
≻ suit
⊁ ne suit pas
⊂ sous-ensemble de
⊃ sur-ensemble de
⊆ sous-ensemble égal à
⊇ sur-ensemble égal à
⊕ plus cerclé
⊖ moins cerclé
⊗ fois cerclé
⊘ barre oblique de division cerclée
⊙ opérateur point cerclé
⊚ opérateur rond cerclé
⊛ opérateur astérisque cerclé
⊞ plus encadré
⊟ moins encadré
⊥ taquet vers le haut
⊮ n’oblige pas
⊰ précède sous relation
⊱ suit sous relation
⊶ original de
⊹ matrice hermitienne conjuguée
⊿ triangle rectangle
⋁ ou logique de la famille
⋂ intersection de la famille
⋃ union de la famille
⋅ opérateur point
⋆ opérateur étoile
⋈ jointure naturelle
⋒ double intersection
⋘ considérablement inférieur à
⋙ considérablement supérieur à
⋭ ni égal ni contenant comme sous-groupe normal
⋮ trois points suspendus
⋯ trois points médians
⋰ trois points diagonaux vers le coin haut à droite
⋱ trois points diagonaux vers le coin bas à droite
⌚ montre
⌛ sablier
⌨ clavier
⏏ bouton éjecter
⏩ bouton avance rapide
⏪ bouton retour rapide
⏫ double flèche vers le haut
⏬ double flèche vers le bas
⏭ bouton piste suivante
⏮ bouton piste précédente
⏯ bouton lecture/pause
⏰ réveil
⏱ chronomètre
⏲ horloge
⏳ sablier avec sable qui coule
⏸ bouton pause
⏹ bouton stop
⏺ bouton enregistrer
Ⓜ m encerclé
■ carré plein
□ carré creux
▢ carré creux aux angles arrondis
▣ carré creux contenant un carré plein
▤ carré hachuré horizontalement
▥ carré hachuré verticalement
▦ carré quadrillé
▧ carré hachuré du haut à droite vers le bas à gauche en diagonale
▨ carré hachuré du haut à gauche vers le bas à droite
▩ carré quadrillé en diagonale
▪ petit carré noir
▫ petit carré blanc
▬ rectangle plein
▭ rectangle creux
▮ rectangle vertical plein
▰ parallélogramme plein
▲ triangle plein vers le haut
△ triangle creux pointant vers le haut
▴ petit triangle plein pointant vers le haut
▵ petit triangle creux pointant vers le haut
▶ bouton lecture
▷ triangle creux pointant vers la droite
▸ petit triangle plein pointant vers la droite
▹ petit triangle creux pointant vers la droite
► pointe pleine vers la droite
▻ pointe creuse vers la droite
▼ triangle plein vers le bas
▽ triangle creux pointant vers le bas
▾ petit triangle plein pointant vers le bas
▿ petit triangle creux pointant vers le bas
◀ bouton retour
◁ triangle creux pointant vers la gauche
◂ petit triangle plein pointant vers la gauche
◃ petit triangle creux pointant vers la gauche
◄ pointe pleine vers la gauche
◅ pointe creuse vers la gauche
◆ losange plein
◇ losange creux
◈ losange creux contenant un losange plein
◉ cercle creux contenant un cercle plein
◊ losange
○ cercle vide
◌ cercle en pointillés
◍ cercle hachuré verticalement
◎ cercles concentriques
● cercle plein
◐ cercle avec moitié gauche pleine
◑ cercle avec moitié droite pleine
◒ cercle avec moitié inférieure pleine
◓ cercle avec moitié supérieure pleine
◔ cercle avec quadrant supérieur droit plein
◕ cercle avec quadrant supérieur gauche vide
◖ demi-cercle gauche plein
◗ demi-cercle droit plein
◘ puce noir au blanc
◙ carré plein contenant un cercle creux
◜ arc de cercle dans le quadrant supérieur gauche
◝ arc de cercle dans le quadrant supérieur droit
◞ arc de cercle dans le quadrant inférieur droit
◟ arc de cercle dans le quadrant inférieur gauche
◠ demi-cercle supérieur
◡ demi-cercle inférieur
◢ triangle rectangle inférieur droit plein
◣ triangle rectangle inférieur gauche plein
◤ triangle rectangle supérieur gauche plein
◥ triangle rectangle supérieur droit plein
◦ puce creuse
◯ grand cercle vide
◳ carré creux avec quartier supérieur droit
◷ cercle creux avec quadrant supérieur droit
◻ carré moyen blanc
◼ carré moyen noir
◽ carré petit moyen blanc
◾ carré petit moyen noir
◿ triangle rectangle inférieur droit
☀ soleil
☁ nuage
☂ parapluie ouvert
☃ bonhomme de neige
☄ comète
☎ téléphone
☑ case cochée
☔ parapluie avec gouttes de pluie
☕ boisson chaude
☘ trèfle
☝ index pointant vers le haut
☠ tête de mort
☢ radioactif
☣ danger biologique
☦ croix orthodoxe
☪ lune et étoile
☮ symbole de paix
☯ yin yang
☸ roue du Dharma
☹ visage mécontent
☺ visage souriant
♀ symbole de la femme
♂ symbole de l’homme
♈ bélier zodiaque
♉ taureau
♊ gémeaux
♋ cancer
♌ lion
♍ vierge
♎ balance
♏ scorpion zodiaque
♐ sagittaire
♑ capricorne
♒ verseau
♓ poissons
♟ pion d’échec
♠ pique
♣ trèfle cartes
♥ cœur cartes
♦ carreau
♨ sources chaudes
♪ croche
♭ bémol
♯ dièse
♻ symbole Recyclage
♾ infini
♿ symbole Accès handicapés
⚒ marteau et pioche
⚓ ancre
⚔ épées croisées
⚕ caducée
⚖ balance à poids
⚗ alambic
⚙ roue dentée
⚛ symbole de l’atome
⚜ fleur de lys
⚠ symbole d’avertissement
⚡ haute tension
⚧ symbole de la communauté transgenre
⚪ disque blanc
⚫ disque noir
⚰ cercueil
⚱ urne funéraire
⚽ ballon de football
⚾ baseball
⛄ bonhomme de neige sans neige
⛅ soleil derrière les nuages
⛈ nuage avec éclair et pluie
⛎ serpentaire
⛏ pioche
⛑ casque de secouriste
⛓ chaînes
⛔ sens interdit
⛩ sanctuaire shinto
⛪ église
⛰ montagne
⛱ parasol sur le sol
⛲ fontaine
⛳ drapeau de golf
⛴ ferry
⛵ voilier
⛷ skieur
⛸ patin à glace
⛹ personne avec ballon
⛺ tente
⛽ pompe à essence
✂ ciseaux
✅ bouton coché
✈ avion
✉ enveloppe
✊ poing levé
✋ main levée
✌ V de la victoire
✍ main qui écrit
✏ crayon
✒ stylo plume noir
✔ coche
✖ signe multiplier
✝ croix latine
✡ étoile de David
✨ étincelles
✳ astérisque huit branches
✴ étoile huit branches
❄ flocon
❇ éclat
❌ croix
❎ bouton croix
❓ point d’interrogation rouge
❔ point d’interrogation blanc
❕ point d’exclamation blanc
❗ point d’exclamation rouge
❣ cœur point d’exclamation
❤ cœur rouge
➕ plus
➖ moins
➗ signe diviser
➡ flèche droite
➰ boucle
➿ double boucle
⤴ flèche courbe haut
⤵ flèche courbe bas
⨧ signe plus avec indice deux
⨯ produit vectoriel
⨼ produit intérieur
⩣ ou logique à deux barres souscrites
⩽ inférieur à ou égal à incliné
⪍ inférieur à sur similaire ou égal à
⪚ égal en deux lignes ou supérieur à
⪺ suit sur non presque égal à
⬅ flèche gauche
⬆ flèche haut
⬇ flèche bas
⬛ grand carré noir
⬜ grand carré blanc
⭐ étoile
⭕ cercle rouge
㊗ bouton félicitations en japonais
㊙ bouton secret en japonais
﷼ rial
`
