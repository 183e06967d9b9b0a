/** A character and its name on each line: from CLDR's annotations, version 48.2 (Unicode-3.0). */
export const SYMBOL_NAMES = `
¢ centesimo
£ simbolo della sterlina
¥ simbolo dello yen
§ simbolo di sezione
© copyright
¬ negazione
® marchio registrato
° simbolo di grado
± più o meno
² numero due in apice
³ numero tre in apice
¶ simbolo di paragrafo
¹ numero uno in apice
× segno di moltiplicazione
÷ segno di divisione
‰ per mille
※ segno di riferimento
⁄ barra di frazione
⁻ segno meno in apice
₢ cruzeiro
₣ franco francese
₤ lira
₥ mill
₨ rupia
₩ won
€ simbolo dell’euro
₰ pfennig tedesco
₱ peso
₳ austral
₶ livre tournois
₷ spesmilo
₹ simbolo della rupia indiana
₽ simbolo del rublo
₿ bitcoin
℗ simbolo di copyright della registrazione sonora
™ marchio
← freccia verso sinistra
↑ freccia verso l’alto
→ freccia verso destra
↓ freccia verso il basso
↔ freccia sinistra-destra
↕ freccia su-giù
↖ freccia in alto a sinistra
↗ freccia rivolta verso destra che punta in alto
↘ freccia in basso a destra
↙ freccia in basso a sinistra
↚ freccia verso sinistra barrata
↛ freccia verso destra barrata
↜ freccia ondulata verso sinistra
↝ freccia ondulata verso destra
↞ freccia a due punte verso sinistra
↟ freccia a due punte verso l’alto
↠ freccia a due punte verso destra
↡ freccia a due punte verso il basso
↢ freccia verso sinistra con coda
↣ freccia verso destra con coda
↤ freccia verso sinistra dalla barra
↥ freccia verso l’alto dalla barra
↦ freccia verso destra dalla barra
↧ freccia verso il basso dalla barra
↨ freccia bidirezionale con base
↩ freccia curva a sinistra
↪ freccia curva a destra
↫ freccia verso sinistra con anello
↬ freccia verso destra con anello
↭ freccia sinistra e destra ondulata
↮ freccia sinistra e destra barrata
↯ freccia a zigzag verso il basso
↰ freccia verso l’alto con punta a sinistra
↱ freccia verso l’alto con punta a destra
↲ freccia verso il basso con punta a sinistra
↳ freccia verso il basso con punta a destra
↴ freccia verso destra con angolo rivolto in basso
↵ freccia verso il basso con angolo rivolto a sinistra
↶ freccia semicircolare superiore in senso antiorario
↷ freccia semicircolare superiore in senso orario
↸ freccia nord-ovest verso barra lunga
↹ freccia a sinistra verso barra su freccia a destra verso barra
↺ freccia circolare aperta in senso antiorario
↻ freccia circolare aperta in senso orario
↼ arpione a sinistra con punta verso l’alto
↽ arpione a sinistra con punta verso il basso
↾ arpione in alto con punta verso destra
↿ arpione in alto con punta verso sinistra
⇀ arpione a destra con punta verso l’alto
⇁ arpione a destra con punta verso il basso
⇂ arpione in basso con punta verso destra
⇃ arpione in basso con punta verso sinistra
⇄ freccia a destra su freccia a sinistra
⇅ freccia verso l’alto e freccia verso il basso
⇆ freccia verso sinistra su freccia verso destra
⇇ coppia di frecce rivolte a sinistra
⇈ coppia di frecce rivolte verso l’alto
⇉ coppia di frecce rivolte a destra
⇊ coppia di frecce rivolte verso il basso
⇋ arpione a sinistra su arpione a destra
⇌ arpione a destra su arpione a sinistra
⇍ freccia doppia a sinistra barrata
⇎ freccia doppia sinistra e destra barrata
⇏ freccia doppia a destra barrata
⇐ freccia doppia a sinstra
⇑ freccia doppia verso l’alto
⇒ freccia doppia a destra
⇓ freccia doppia verso il basso
⇔ freccia doppia sinistra e destra
⇖ freccia doppia nord-ovest
⇗ freccia doppia nord-est
⇘ freccia doppia sud-est
⇙ freccia doppia sud-ovest
⇚ freccia tripla a sinistra
⇛ freccia tripla a destra
⇜ freccia ondulare a sinistra
⇝ freccia ondulare a destra
⇞ freccia doppia verso l’alto con doppia barra
⇟ freccia doppia verso il basso con doppia barra
⇠ freccia tratteggiata a sinistra
⇡ freccia tratteggiata verso l’alto
⇢ freccia tratteggiata a destra
⇣ freccia tratteggiata verso il basso
⇤ freccia a sinistra verso barra
⇥ freccia a destra verso barra
⇦ freccia vuota a sinistra
⇧ freccia vuota verso l’alto
⇨ freccia vuota a destra
⇩ freccia vuota verso il basso
⇪ freccia vuota verso l’alto dalla barra
⇵ freccia verso il basso con freccia verso l’alto a destra
∀ per ogni
∂ derivata parziale
∃ esiste
∅ insieme vuoto
∆ simbolo di incremento
∇ nabla
∈ simbolo di appartenenza
∉ non appartiene
∋ contiene
∎ end of proof
∏ prodotto n-ario
∑ sommatoria n-aria
− segno meno
∓ meno o più
∕ barra di divisione
∗ operatore asterisco
∘ operatore anello
∙ operatore punto elenco
√ radice quadrata
∝ proporzionale
∞ simbolo di infinito
∟ angolo retto
∠ angolo
∣ divide
∥ parallelo
∧ and logico
∩ simbolo di intersezione
∪ simbolo di unione
∫ integrale
∬ integrale doppio
∮ integrale curvilineo
∴ quindi
∵ perché
∶ rapporto
∷ proporzione
∼ operatore tilde
∽ tilde rovesciata
∾ lazy s invertito
≃ asintoticamente uguale
≅ congruente geometricamente
≈ quasi uguale
≌ tutto uguale
≒ approssimativamente uguale all’immagine
≖ anello pari a
≠ disuguale
≡ simbolo di coincidenza
≣ strettamente equivalente
≤ minore o uguale
≥ maggiore o uguale
≦ minore di su uguale
≧ maggiore di su uguale
≪ molto minore di
≫ molto maggiore di
≬ tra
≮ non minore di
≯ non maggiore di
≳ maggiore di o equivalente a
≺ precede
≻ segue
⊁ non segue
⊂ simbolo di sottoinsieme
⊃ sovrainsieme
⊆ sottoinsieme uguale a
⊇ sovrainsieme uguale a
⊕ segno più in cerchio
⊖ segno meno in cerchio
⊗ segno di moltiplicazione in cerchio
⊘ barra di divisione in cerchio
⊙ operatore punto in cerchio
⊚ operatore anello in cerchio
⊛ operatore asterisco in cerchio
⊞ segno più in quadrato
⊟ segno meno in quadrato
⊥ contraddizione
⊮ non forza
⊰ precede nella relazione
⊱ segue nella relazione
⊶ originale
⊹ matrice hermitiana coniugata
⊿ triangolo rettangolo
⋁ or logico n-ario
⋂ intersezione n-aria
⋃ unione n-aria
⋅ operatore punto
⋆ operatore asterisco (*)
⋈ unione naturale
⋒ intersezione doppia
⋘ molto molto minore di
⋙ molto molto maggiore di
⋭ non contiene come sottogruppo normale o uguale
⋮ puntini di sospensione verticali
⋯ puntini di sospensione centrati
⋰ puntini di sospensione diagonali in alto a destra
⋱ puntini di sospensione diagonali in basso a destra
⌚ orologio
⌛ clessidra
⌨ tastiera
⏏ pulsante di espulsione
⏩ pulsante di avanzamento rapido
⏪ pulsante di riavvolgimento rapido
⏫ pulsante doppia freccia in alto
⏬ doppia freccia in basso
⏭ traccia successiva
⏮ pulsante traccia precedente
⏯ pulsante riproduci/pausa
⏰ sveglia
⏱ cronometro
⏲ timer
⏳ clessidra che scorre
⏸ pulsante pausa
⏹ pulsante stop
⏺ pulsante di registrazione
Ⓜ pulsante M cerchiata
■ quadrato pieno
□ quadrato vuoto
▢ quadrato vuoto con angoli arrotondati
▣ quadrato vuoto con quadrato pieno
▤ quadrato con riempimento orizzontale
▥ quadrato con riempimento verticale
▦ quadrato con riempimento tratteggiato ortogonale
▧ quadrato con righe inclinate da sinistra a destra
▨ quadrato con righe inclinate da destra a sinistra
▩ quadrato con riempimento tratteggiato diagonale
▪ quadrato nero piccolo
▫ quadrato bianco piccolo
▬ rettangolo pieno
▭ rettangolo vuoto
▮ rettangolo verticale pieno
▰ parallelogramma pieno
▲ triangolo pieno rivolto verso l’alto
△ triangolo vuoto rivolto verso l’alto
▴ triangolo piccolo pieno rivolto verso l’alto
▵ triangolo piccolo vuoto rivolto verso l’alto
▶ pulsante di riproduzione
▷ triangolo vuoto rivolto verso destra
▸ triangolo piccolo pieno rivolto verso destra
▹ triangolo piccolo vuoto rivolto verso destra
► puntatore pieno rivolto verso destra
▻ puntatore vuoto rivolto verso destra
▼ triangolo pieno capovolto
▽ triangolo vuoto capovolto
▾ triangolo piccolo pieno capovolto
▿ triangolo piccolo vuoto capovolto
◀ pulsante di riavvolgimento
◁ triangolo vuoto rivolto verso sinistra
◂ triangolo piccolo pieno rivolto verso sinistra
◃ triangolo piccolo vuoto rivolto verso sinistra
◄ puntatore pieno rivolto verso sinistra
◅ puntatore vuoto rivolto verso sinistra
◆ rombo pieno
◇ rombo vuoto
◈ rombo vuoto con rombo pieno
◉ cerchio vuoto con cerchio pieno
◊ losanga
○ cerchio vuoto
◌ cerchio tratteggiato
◍ cerchio con riempimento verticale
◎ cerchi concentrici
● cerchio pieno
◐ cerchio con metà sinistra piena
◑ cerchio con metà destra piena
◒ cerchio con metà inferiore piena
◓ cerchio con metà superiore piena
◔ cerchio con quadrante in alto a destra pieno
◕ cerchio con quadrante in alto a sinistra vuoto
◖ semicerchio sinistro pieno
◗ semicerchio destro pieno
◘ punto elenco inverso
◙ quadrato pieno con cerchio vuoto
◜ arco circolare del quadrante in alto a sinistra
◝ arco circolare del quadrante in alto a destra
◞ arco circolare del quadrante in basso a destra
◟ arco circolare del quadrante in basso a sinistra
◠ semicerchio superiore
◡ semicerchio inferiore
◢ triangolo in basso a destra pieno
◣ triangolo in basso a sinistra pieno
◤ triangolo in alto a sinistra pieno
◥ triangolo in alto a destra pieno
◦ punto elenco vuoto
◯ cerchio vuoto grande
◳ quadrato vuoto con quadrante in alto a destra
◷ cerchio vuoto con quadrante in alto a destra
◻ quadrato bianco medio
◼ quadrato nero medio
◽ quadrato bianco medio-piccolo
◾ quadrato nero medio-piccolo
◿ triangolo in basso a destra vuoto
☀ sole
☁ nuvola
☂ ombrello
☃ pupazzo di neve
☄ cometa
☎ telefono fisso
☑ riquadro con spunta
☔ ombrello con gocce di pioggia
☕ bevanda calda
☘ trifoglio
☝ indice verso l’alto
☠ teschio con ossa incrociate
☢ simbolo della radioattività
☣ simbolo del rischio biologico
☦ croce ortodossa
☪ mezzaluna e stella
☮ simbolo della pace
☯ Yin e Yang
☸ ruota del Dharma
☹ faccina imbronciata
☺ faccina sorridente
♀ simbolo genere femminile
♂ simbolo genere maschile
♈ Segno zodiacale dell’Ariete
♉ Segno zodiacale del Toro
♊ Segno zodiacale dei Gemelli
♋ Segno zodiacale del Cancro
♌ Segno zodiacale del Leone
♍ Segno zodiacale della Vergine
♎ Segno zodiacale della Bilancia
♏ Segno zodiacale dello Scorpione
♐ Segno zodiacale del Saggitario
♑ Segno zodiacale del Capricorno
♒ Segno zodiacale dell’Acquario
♓ Segno zodiacale dei Pesci
♟ pedina degli scacchi
♠ picche
♣ fiori
♥ cuori
♦ quadri
♨ sorgenti termali
♪ croma
♭ bemolle
♯ diesis
♻ simbolo del riciclaggio
♾ simbolo dell’infinito
♿ simbolo della disabilità
⚒ piccone e martello
⚓ ancora
⚔ spade incrociate
⚕ simbolo della medicina
⚖ bilancia a doppio piatto
⚗ alambicco
⚙ ingranaggio
⚛ simbolo dell’atomo
⚜ giglio araldico
⚠ simbolo di avviso
⚡ alta tensione
⚧ simbolo transgender
⚪ cerchio bianco
⚫ cerchio nero
⚰ bara
⚱ urna funeraria
⚽ pallone da calcio
⚾ palla da baseball
⛄ pupazzo di neve senza neve
⛅ sole coperto
⛈ temporale
⛎ Segno zodiacale dell’Ofiuco
⛏ piccone
⛑ elmetto con croce bianca
⛓ catene
⛔ segnale di divieto di accesso
⛩ santuario shintoista
⛪ chiesa
⛰ montagna
⛱ ombrellone
⛲ fontana
⛳ bandiera in buca
⛴ traghetto
⛵ barca a vela
⛷ sciatore
⛸ pattinaggio su ghiaccio
⛹ persona che fa rimbalzare una palla
⛺ tenda
⛽ stazione di servizio
✂ forbici
✅ pulsante segno di spunta
✈ aeroplano
✉ busta
✊ pugno
✋ mano alzata
✌ vittoria
✍ mano che scrive
✏ matita
✒ pennino
✔ segno di spunta
✖ moltiplicazione
✝ croce latina
✡ stella di David
✨ stelline
✳ asterisco
✴ stella stilizzata
❄ fiocco di neve
❇ scintilla stilizzata
❌ croce
❎ croce con quadrato
❓ punto interrogativo rosso
❔ punto interrogativo bianco
❕ punto esclamativo bianco
❗ punto esclamativo rosso
❣ punto esclamativo a cuore
❤ cuore rosso
➕ addizione
➖ sottrazione
➗ divisione
➡ freccia rivolta verso destra
➰ occhiello
➿ doppio occhiello
⤴ freccia curva in alto
⤵ freccia curva in basso
⨧ segno più con pedice due
⨯ prodotto vettoriale
⨼ prodotto interno
⩣ operatore logico or con barra inferiore doppia
⩽ minore di sopra uguale a obliquo
⪍ minore di sopra circa uguale
⪚ uguale doppio sopra maggiore di
⪺ segue sopra non quasi uguale
⬅ freccia rivolta a sinistra
⬆ freccia rivolta verso l’alto
⬇ freccia rivolta verso il basso
⬛ quadrato nero grande
⬜ quadrato bianco grande
⭐ stella
⭕ cerchio rosso vuoto
㊗ ideogramma giapponese di “Congratulazioni”
㊙ ideogramma giapponese di “Segreto”
﷼ rial
`
