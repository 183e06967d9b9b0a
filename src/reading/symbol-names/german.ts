/** A character and its name on each line: from CLDR's annotations, version 48.2 (Unicode-3.0). */
export const SYMBOL_NAMES = `
¢ Cent
£ Pfund Sterling
¥ Yen
§ Paragraf
© Copyright
¬ Negationszeichen
® Registered-Trademark
° Grad Alkohol
± Plusminuszeichen
² hochgestellte Zwei
³ hochgestellte Drei
¶ Absatzzeichen
¹ hochgestellte Eins
× Multiplikation
÷ Division
‰ Promille
※ Komejirushi
⁄ Bruchstrich
⁻ hochgestelltes Minuszeichen
₢ Cruzeiro
₣ französischer Franc
₤ Lira
₥ Millzeichen
₨ Rupie
₩ Won
€ Euro
₰ Pfennig
₱ Peso
₳ Austral
₶ Livre tournoise
₷ Spesmilo
₹ Indische Rupie
₽ Rubel
₿ Bitcoin-Zeichen
℗ Copyrightzeichen für Audioaufnahme
™ Markenzeichen
← nach links weisender Pfeil
↑ nach oben weisender Pfeil
→ nach rechts weisender Pfeil
↓ nach unten weisender Pfeil
↔ Pfeil nach links und rechts
↕ Pfeil nach oben und unten
↖ Pfeil nach links oben
↗ Pfeil nach rechts oben
↘ Pfeil nach rechts unten
↙ Pfeil nach links unten
↚ durchgestrichener Pfeil nach links
↛ durchgestrichener Pfeil nach rechts
↜ Wellenpfeil nach links
↝ Wellenpfeil nach rechts
↞ Pfeil mit Doppelspitze nach links
↟ Pfeil mit Doppelspitze nach oben
↠ Pfeil mit Doppelspitze nach rechts
↡ Pfeil mit Doppelspitze nach unten
↢ Pfeilschwanz nach links
↣ Pfeilschwanz nach rechts
↤ Pfeil nach links von Strich weglaufend
↥ Pfeil nach oben von Strich weglaufend
↦ Pfeil nach rechts von Strich weglaufend
↧ Pfeil nach unten von Strich weglaufend
↨ Pfeil nach oben und unten mit Unterstrich
↩ geschwungener Pfeil nach links
↪ geschwungener Pfeil nach rechts
↫ Pfeil nach links mit Schleife
↬ Pfeil nach rechts mit Schleife
↭ Wellenpfeil nach links und rechts
↮ durchgestrichener Pfeil nach links und rechts
↯ Zickzack-Pfeil nach unten
↰ Pfeil nach oben mit Spitze nach links
↱ Pfeil nach oben mit Spitze nach rechts
↲ Pfeil nach unten mit Spitze nach links
↳ Pfeil nach unten mit Spitze nach rechts
↴ Pfeil nach rechts mit Spitze nach unten
↵ Pfeil nach unten mit Ecke nach links
↶ Halbkreisförmiger Pfeil gegen Uhrzeigersinn oben
↷ Halbkreisförmiger Pfeil im Uhrzeigersinn oben
↸ Pfeil nach Nordwesten auf langen Strich zulaufend
↹ Pfeil nach links auf Strich zulaufend über Pfeil nach rechts auf Strich zulaufend
↺ Kreisförmiger Pfeil gegen Uhrzeigersinn
↻ Kreisförmiger Pfeil im Uhrzeigersinn
↼ Harpune nach links mit Zacken nach oben
↽ Harpune nach links mit Zacken nach unten
↾ Harpune nach oben mit Zacken nach rechts
↿ Harpune nach oben mit Zacken nach links
⇀ Harpune nach rechts mit Zacken nach oben
⇁ Harpune nach rechts mit Zacken nach unten
⇂ Harpune nach unten mit Zacken nach rechts
⇃ Harpune nach unten mit Zacken nach links
⇄ Pfeil nach rechts über Pfeil nach links
⇅ nach oben und nach unten weisende Pfeile
⇆ Linkspfeil über Rechtspfeil
⇇ gepaarte Pfeile nach links
⇈ gepaarte Pfeile nach oben
⇉ gepaarte Pfeile nach rechts
⇊ gepaarte Pfeile nach unten
⇋ Harpune nach links über Harpune nach rechts
⇌ Harpune nach rechts über Harpune nach links
⇍ Durchgestrichener Pfeil mit Doppelstrich nach links
⇎ durchgestrichener Pfeil mit Doppelstrich nach links und rechts
⇏ durchgestrichener Pfeil mit Doppelstrich nach rechts
⇐ Pfeil mit Doppelstrich nach links
⇑ Pfeil mit Doppelstrich nach oben
⇒ Pfeil mit Doppelstrich nach rechts
⇓ Pfeil mit Doppelstrich nach unten
⇔ Pfeil mit Doppelstrich nach links und rechts
⇖ Pfeil mit Doppelstrich nach Nordwesten
⇗ Pfeil mit Doppelstrich nach Nordosten
⇘ Pfeil mit Doppelstrich nach Südosten
⇙ Pfeil mit Doppelstrich nach Südwesten
⇚ Pfeil mit Dreifachstrich nach links
⇛ Pfeil mit Dreifachstrich nach rechts
⇜ Schnörkelpfeil nach links
⇝ Schnörkelpfeil nach rechts
⇞ Pfeil nach oben mit doppeltem Querstrich
⇟ Pfeil nach unten mit doppeltem Querstrich
⇠ Gestrichelter Pfeil nach links
⇡ Gestrichelter Pfeil nach oben
⇢ Gestrichelter Pfeil nach rechts
⇣ Gestrichelter Pfeil nach unten
⇤ Pfeil nach links auf Strich zulaufend
⇥ Pfeil nach rechts auf Strich zulaufend
⇦ weißer Pfeil nach links
⇧ weißer Pfeil nach oben
⇨ weißer Pfeil nach rechts
⇩ weißer Pfeil nach unten
⇪ weißer Pfeil nach oben von Strich weglaufend
⇵ Pfeil nach unten links neben Pfeil nach oben
∀ für alle
∂ partielle Ableitung
∃ es existiert
∅ leere Menge
∆ Inkrement
∇ Nabla
∈ Element
∉ kein Element von
∋ enthält als Element
∎ Ende des Beweises
∏ Produktzeichen
∑ Summenzeichen
− Minuszeichen
∓ minus oder plus
∕ Divisionsstrich
∗ Sternchen-Operator
∘ Ring-Operator
∙ Kreis-Operator
√ Quadratwurzel
∝ proportional zu
∞ Unendlichkeitszeichen
∟ rechter Winkel
∠ Winkel-Zeichen
∣ Teilt-Zeichen
∥ parallel zu
∧ logisches Und
∩ Schnittmenge
∪ Vereinigungsmenge
∫ Integral
∬ Doppelintegral
∮ Kurvenintegral
∴ Folglich
∵ Weil
∶ Verhältniszeichen
∷ Proportionszeichen
∼ Tilde-Operator
∽ gespiegelte Tilde
∾ umgekehrtes schlafendes S
≃ asymptotisch gleich
≅ ungefähr-gleich
≈ ungefähr gleich
≌ alles gleich
≒ ungefähr gleich oder Bild von
≖ Ring im Gleichheitszeichen
≠ ungleich
≡ identisch
≣ genau äquivalent
≤ kleiner als oder gleich
≥ größer als oder gleich
≦ kleiner als über gleich
≧ größer als über gleich
≪ viel kleiner als
≫ viel größer als
≬ zwischen
≮ nicht kleiner als
≯ nicht größer als
≳ größer als oder äquivalent
≺ vorangehend
≻ nachfolgend
⊁ nicht nachfolgend
⊂ Teilmenge
⊃ Obermenge von
⊆ Teilmenge von oder gleich mit
⊇ Obermenge von oder gleich mit
⊕ eingekreistes Pluszeichen
⊖ eingekreistes Minuszeichen
⊗ eingekreistes Multiplikationszeichen
⊘ eingekreister Divisionsstrich
⊙ eingekreister Punkt-Operator
⊚ eingekreister Ring-Operator
⊛ eingekreister Stern-Operator
⊞ eingerahmtes Pluszeichen
⊟ eingerahmtes Minuszeichen
⊥ senkrecht nach oben
⊮ erzwingt nicht
⊰ vorangehend in Relation
⊱ nachfolgend in Relation
⊶ Original von
⊹ hermitesche konjugierte Matrix
⊿ rechtes Dreieck
⋁ N-stufiges logisches Oder
⋂ N-stufige Schnittmenge
⋃ N-stufige Vereinigungsmenge
⋅ Punkt-Operator
⋆ Stern-Operator
⋈ natürliche Verknüpfung
⋒ doppelte Schnittmenge
⋘ sehr viel kleiner als
⋙ sehr viel größer als
⋭ enthält nicht als normale Untergruppe oder gleich
⋮ vertikale Ellipse
⋯ horizontale Ellipse auf mittlerer Höhe
⋰ rechts-aufwärts steigende diagonale Ellipse
⋱ rechts-abwärts fallende diagonale Ellipse
⌚ Armbanduhr
⌛ Sanduhr
⌨ Tastatur
⏏ Auswerfen
⏩ Doppelpfeile nach rechts
⏪ Zurückspulen
⏫ Doppelpfeile nach oben
⏬ Doppelpfeile nach unten
⏭ Nächster Titel
⏮ Vorheriger Titel
⏯ Wiedergabe oder Pause
⏰ Wecker
⏱ Stoppuhr
⏲ Zeitschaltuhr
⏳ laufende Sanduhr
⏸ Pause
⏹ Stopp
⏺ Aufnehmen
Ⓜ Buchstabe „M“ in Kreis
■ schwarzes Quadrat
□ weißes Quadrat
▢ weißes Quadrat mit abgerundeten Ecken
▣ schwarzes Quadrat in weißem Quadrat
▤ Quadrat mit horizontaler Schraffur
▥ Quadrat mit vertikaler Schraffur
▦ Quadrat mit orthogonaler Kreuzschraffur
▧ Quadrat mit Schraffur von oben links nach unten rechts
▨ Quadrat mit Schraffur von oben rechts nach unten links
▩ Quadrat mit diagonaler Kreuzschraffur
▪ kleines schwarzes Quadrat
▫ kleines weißes Quadrat
▬ schwarzes Rechteck
▭ weißes Rechteck
▮ vertikales schwarzes Rechteck
▰ schwarzes Parallelogramm
▲ schwarzes nach oben weisendes Dreieck
△ weißes nach oben weisendes Dreieck
▴ schwarzes nach oben weisendes kleines Dreieck
▵ weißes nach oben weisendes kleines Dreieck
▶ Wiedergabe
▷ weißes nach rechts weisendes Dreieck
▸ schwarzes nach rechts weisendes kleines Dreieck
▹ weißes nach rechts weisendes kleines Dreieck
► schwarzer nach rechts weisender Zeiger
▻ weißer nach rechts weisender Zeiger
▼ schwarzes nach unten weisendes Dreieck
▽ weißes nach unten weisendes Dreieck
▾ schwarzes nach unten weisendes kleines Dreieck
▿ weißes nach unten weisendes kleines Dreieck
◀ Pfeil zurück
◁ weißes nach links weisendes Dreieck
◂ schwarzes nach links weisendes kleines Dreieck
◃ weißes nach links weisendes kleines Dreieck
◄ schwarzer nach links weisender Zeiger
◅ weißer nach links weisender Zeiger
◆ schwarzes Karo
◇ weißes Karo
◈ weißes Karo mit kleinem schwarzem Karo
◉ weißer Kreis mit kleinem schwarzem Kreis
◊ Raute
○ hohler Kreis
◌ punktierter Kreis
◍ Kreis mit vertikaler Schraffur
◎ konzentrische Kreise
● gefüllter Kreis
◐ Kreis mit schwarzer Hälfte links
◑ Kreis mit schwarzer Hälfte rechts
◒ Kreis mit schwarzer Hälfte unten
◓ Kreis mit schwarzer Hälfte oben
◔ Kreis mit schwarzem Viertel oben rechts
◕ schwarzer Kreis mit weißem Viertel oben links
◖ linke Hälfte eines schwarzen Kreises
◗ rechte Hälfte eines schwarzen Kreises
◘ invertiertes Aufzählungszeichen
◙ schwarzes Quadrat mit weißem Kreis
◜ Viertelkreis oben links
◝ Viertelkreis oben rechts
◞ Viertelkreis unten rechts
◟ Viertelkreis unten links
◠ Halbkreis oben
◡ Halbkreis unten
◢ schwarzes Dreieck unten rechts
◣ schwarzes Dreieck unten links
◤ schwarzes Dreieck oben links
◥ schwarzes Dreieck oben rechts
◦ weißes Aufzählungszeichen
◯ großer hohler Kreis
◳ weißes Quadrat mit Viertel oben rechts
◷ weißer Kreis mit Viertel oben rechts
◻ mittelgroßes weißes Quadrat
◼ mittelgroßes schwarzes Quadrat
◽ mittelkleines weißes Quadrat
◾ mittelkleines schwarzes Quadrat
◿ weißes Dreieck unten rechts
☀ Sonne
☁ Wolke
☂ Regenschirm
☃ Schneemann im Schnee
☄ Komet
☎ Telefon
☑ abgehaktes Kästchen
☔ Regenschirm im Regen
☕ Heißgetränk
☘ Kleeblatt
☝ nach oben weisender Zeigefinger von vorne
☠ Totenkopf mit gekreuzten Knochen
☢ Radioaktiv
☣ Biogefährdung
☦ orthodoxes Kreuz
☪ Hilal und Stern
☮ Friedenszeichen
☯ Yin und Yang
☸ Dharma-Rad
☹ düsteres Gesicht
☺ lächelndes Gesicht
♀ Frauensymbol
♂ Männersymbol
♈ Widder (Sternzeichen)
♉ Stier (Sternzeichen)
♊ Zwillinge (Sternzeichen)
♋ Krebs (Sternzeichen)
♌ Löwe (Sternzeichen)
♍ Jungfrau (Sternzeichen)
♎ Waage (Sternzeichen)
♏ Skorpion (Sternzeichen)
♐ Schütze (Sternzeichen)
♑ Steinbock (Sternzeichen)
♒ Wassermann (Sternzeichen)
♓ Fische (Sternzeichen)
♟ Bauer Schach
♠ Pik
♣ Kreuz
♥ Herz
♦ Karo
♨ heiße Quellen
♪ Achtelnote
♭ Erniedrigungszeichen
♯ Erhöhungszeichen
♻ Recycling-Symbol
♾ Unendlichkeit
♿ Symbol „Rollstuhl“
⚒ Hammer und Pickel
⚓ Anker
⚔ gekreuzte Schwerter
⚕ Äskulapstab
⚖ Waage
⚗ Destillierapparat
⚙ Zahnrad
⚛ Atomzeichen
⚜ Lilie
⚠ Warnung
⚡ Hochspannung
⚧ Transgender-Symbol
⚪ weißer Punkt
⚫ schwarzer Punkt
⚰ Sarg
⚱ Urne
⚽ Fußball
⚾ Baseball
⛄ Schneemann ohne Schneeflocken
⛅ Sonne hinter Wolke
⛈ Wolke mit Blitz und Regen
⛎ Schlangenträger
⛏ Pickel
⛑ Rettungshelm
⛓ Ketten
⛔ Zutritt verboten
⛩ Shinto-Schrein
⛪ Kirche
⛰ Berg
⛱ aufgestellter Sonnenschirm
⛲ Springbrunnen
⛳ Golffahne
⛴ Fähre
⛵ Segelboot
⛷ Skifahrer(in)
⛸ Schlittschuh
⛹ Person mit Ball
⛺ Zelt
⛽ Tanksäule
✂ Schere
✅ weißes Häkchen
✈ Flugzeug
✉ Briefumschlag
✊ erhobene Faust
✋ erhobene Hand
✌ Victory-Geste
✍ schreibende Hand
✏ Bleistift
✒ schwarzer Federhalter
✔ kräftiges Häkchen
✖ mal
✝ lateinisches Kreuz
✡ Davidstern
✨ funkelnde Sterne
✳ achtzackiger Stern
✴ achtstrahliger Stern
❄ Schneeflocke
❇ Funkeln
❌ Kreuzzeichen
❎ angekreuztes Kästchen
❓ rotes Fragezeichen
❔ weißes Fragezeichen
❕ weißes Ausrufezeichen
❗ rotes Ausrufezeichen
❣ Herz als Ausrufezeichen
❤ rotes Herz
➕ plus
➖ minus
➗ geteilt durch
➡ Pfeil nach rechts
➰ Schleife
➿ Doppelschleife
⤴ geschwungener Pfeil nach oben
⤵ geschwungener Pfeil nach unten
⨧ Pluszeichen mit tiefgestellter Zwei
⨯ Vektor-/Kreuzprodukt
⨼ inneres Produkt
⩣ logisches Oder mit doppeltem Unterstrich
⩽ schräg gleich oder kleiner als
⪍ kleiner als über ähnlich oder gleich
⪚ gleich über größer als
⪺ nachfolgend über fast ungleich
⬅ Pfeil nach links
⬆ Pfeil nach oben
⬇ Pfeil nach unten
⬛ großes schwarzes Quadrat
⬜ großes weißes Quadrat
⭐ weißer mittelgroßer Stern
⭕ hohler roter Kreis
㊗ Schriftzeichen für „Gratulation“
㊙ Schriftzeichen für „Geheimnis“
﷼ Rial
`
