/** A character and its name on each line: from CLDR's annotations, version 48.2 (Unicode-3.0). */
export const SYMBOL_NAMES = `
¢ céntimo
£ libra esterlina
¥ yen
§ signo de sección
© copyright
¬ negación
® marca registrada
° grado
± signo más/menos
² dos en superíndice
³ tres en superíndice
¶ calderón
¹ uno en superíndice
× signo de multiplicación
÷ signo de división
‰ por mil
※ marca de referencia
⁄ barra de fracción
⁻ menos en superíndice
₢ cruceiro
₣ franco francés
₤ lira
₥ milésimo
₨ rupia
₩ won
€ euro
₰ penique alemán
₱ peso
₳ austral
₶ libra tornesa
₷ spesmilo
₹ rupia india
₽ rublo
₿ bitcóin
℗ copyright de grabación de sonido
™ símbolo de marca comercial
← flecha apuntando hacia la izquierda
↑ flecha apuntando hacia arriba
→ flecha apuntando hacia la derecha
↓ flecha apuntando hacia abajo
↔ flecha izquierda y derecha
↕ flecha arriba y abajo
↖ flecha hacia la esquina superior izquierda
↗ flecha hacia la esquina superior derecha
↘ flecha hacia la esquina inferior derecha
↙ flecha hacia la esquina inferior izquierda
↚ flecha hacia la izquierda tachada
↛ flecha hacia la derecha tachada
↜ flecha de onda hacia la izquierda
↝ flecha de onda hacia la derecha
↞ flecha de doble punta hacia la izquierda
↟ flecha de doble punta hacia arriba
↠ flecha de doble punta hacia la derecha
↡ flecha de doble punta hacia abajo
↢ flecha hacia la izquierda con cola
↣ flecha hacia la derecha con cola
↤ flecha hacia la izquierda desde barra
↥ flecha hacia arriba desde barra
↦ flecha hacia la derecha desde barra
↧ flecha hacia abajo desde barra
↨ flecha arriba abajo con base
↩ flecha derecha curvándose a la izquierda
↪ flecha izquierda curvándose a la derecha
↫ flecha hacia la izquierda con bucle
↬ flecha hacia la derecha con bucle
↭ flecha de onda hacia la izquierda y la derecha
↮ flecha hacia la izquierda y la derecha tachada
↯ flecha en zigzag hacia abajo
↰ flecha hacia arriba con punta hacia la izquierda
↱ flecha hacia arriba con punta hacia la derecha
↲ flecha hacia abajo con punta hacia la izquierda
↳ flecha hacia abajo con punta hacia la derecha
↴ flecha hacia la derecha con ángulo hacia abajo
↵ flecha hacia abajo con ángulo hacia la izquierda
↶ flecha en semicírculo superior hacia la izquierda
↷ flecha en semicírculo superior hacia la derecha
↸ flecha hacia el noroeste con barra larga
↹ flecha hacia la izquierda con barra sobre flecha hacia la derecha con barra
↺ círculo abierto con flecha en sentido antihorario
↻ círculo abierto con flecha en sentido horario
↼ arpón hacia la izquierda con la punta hacia arriba
↽ arpón hacia la izquierda con la punta hacia abajo
↾ arpón hacia arriba con la punta hacia la derecha
↿ arpón hacia arriba con la punta hacia la izquierda
⇀ arpón hacia la derecha con la punta hacia arriba
⇁ arpón hacia la derecha con la punta hacia abajo
⇂ arpón hacia abajo con la punta hacia la derecha
⇃ arpón hacia abajo con la punta hacia la izquierda
⇄ flecha hacia la derecha sobre flecha hacia la izquierda
⇅ flechas apuntando arriba y abajo
⇆ flechas apuntando izquierda sobre derecha
⇇ pareja de flechas hacia la izquierda
⇈ pareja de flechas hacia arriba
⇉ pareja de flechas hacia la derecha
⇊ pareja de flechas hacia abajo
⇋ arpón hacia la izquierda sobre arpón hacia la derecha
⇌ arpón hacia la derecha sobre arpón hacia la izquierda
⇍ flecha doble hacia la izquierda tachada
⇎ flecha doble hacia la izquierda y la derecha tachada
⇏ flecha doble hacia la derecha tachada
⇐ flecha doble hacia la izquierda
⇑ flecha doble hacia arriba
⇒ flecha doble hacia la derecha
⇓ flecha doble hacia abajo
⇔ flecha doble hacia la izquierda y la derecha
⇖ flecha doble hacia el noroeste
⇗ flecha doble hacia el nordeste
⇘ flecha doble hacia sudeste
⇙ flecha doble hacia el sudoeste
⇚ flecha triple hacia la izquierda
⇛ flecha triple hacia la derecha
⇜ flecha ondulada hacia la izquierda
⇝ flecha ondulada hacia la derecha
⇞ flecha hacia arriba con doble tachado
⇟ flecha hacia abajo con doble tachado
⇠ flecha discontinua hacia la izquierda
⇡ flecha discontinua hacia arriba
⇢ flecha discontinua hacia la derecha
⇣ flecha discontinua hacia abajo
⇤ flecha hacia la izquierda con barra
⇥ flecha hacia la derecha con barra
⇦ flecha hueca hacia la izquierda
⇧ flecha hueca hacia arriba
⇨ flecha hueca hacia la derecha
⇩ flecha hueca hacia abajo
⇪ flecha hueca hacia arriba desde barra
⇵ flecha hacia abajo a la izquierda de flecha hacia arriba
∀ para todo
∂ derivada parcial
∃ existe
∅ conjunto vacío
∆ incremento
∇ nabla
∈ elemento de
∉ no es elemento
∋ contiene como miembro
∎ fin de la prueba
∏ producto n-ario
∑ sumativa n-aria
− signo menos
∓ menos o más
∕ barra de división
∗ operador de asterisco
∘ operador de anillo
∙ operador de bolo
√ raíz cuadrada
∝ proporcional
∞ signo de infinito
∟ ángulo recto
∠ ángulo
∣ divide
∥ paralelo
∧ y lógica
∩ intersección
∪ unión
∫ integral
∬ doble integral
∮ integral de contorno
∴ conclusión
∵ porque
∶ ratio
∷ proporción
∼ operador de virgulilla
∽ virgulilla inversa
∾ s invertida horizontal
≃ asintóticamente igual a
≅ aproximadamente igual a
≈ casi igual
≌ todo igual
≒ aproximadamente igual o la imagen de
≖ anillo en igual a
≠ no igual
≡ equivalente a
≣ estrictamente equivalente
≤ menor que o igual
≥ mayor que o igual
≦ menor que sobre igual
≧ mayor que sobre igual
≪ mucho menor que
≫ mucho mayor que
≬ entre
≮ no menor que
≯ no mayor que
≳ equivalente mayor que
≺ precede
≻ sucede
⊁ no sucede
⊂ subconjunto de
⊃ superconjunto de
⊆ subconjunto igual a
⊇ superconjunto igual a
⊕ más dentro de círculo
⊖ menos dentro de círculo
⊗ por dentro de círculo
⊘ barra de división dentro de círculo
⊙ operador de punto dentro de círculo
⊚ operador de anillo dentro de círculo
⊛ operador de asterisco dentro de círculo
⊞ más dentro de cuadrado
⊟ menos dentro de cuadrado
⊥ tachuela hacia arriba
⊮ no fuerza
⊰ precede en relación
⊱ sucede en relación
⊶ original
⊹ matriz conjugada hermitiana
⊿ triángulo rectángulo
⋁ o lógica n-aria
⋂ intersección n-aria
⋃ unión n-aria
⋅ operador de punto
⋆ operador de estrella
⋈ unión natural
⋒ doble intersección
⋘ mucho mucho menor que
⋙ mucho mucho mayor que
⋭ no contiene como subgrupo normal o igual a
⋮ puntos suspensivos verticales
⋯ puntos suspensivos horizontales
⋰ puntos suspensivos diagonales hacia arriba a la derecha
⋱ puntos suspensivos diagonales hacia abajo a la derecha
⌚ reloj
⌛ reloj de arena sin tiempo
⌨ teclado
⏏ expulsar
⏩ avance rápido
⏪ retroceso rápido
⏫ triángulo doble hacia arriba
⏬ triángulo doble hacia abajo
⏭ pista siguiente
⏮ pista anterior
⏯ reproducir o pausa
⏰ reloj despertador
⏱ cronómetro
⏲ temporizador
⏳ reloj de arena con tiempo
⏸ pausa
⏹ detener
⏺ grabar
Ⓜ m en círculo
■ cuadrado relleno
□ cuadrado hueco
▢ cuadrado hueco con esquinas redondeadas
▣ cuadrado hueco con cuadrado relleno dentro
▤ cuadrado con relleno de rayas horizontales
▥ cuadrado con relleno de rayas verticales
▦ cuadrado con relleno de cuadrícula ortogonal
▧ cuadrado con relleno de rayas desde arriba a la izquierda hasta abajo a la derecha
▨ cuadrado con relleno de rayas desde arriba a la derecha hasta abajo a la izquierda
▩ cuadrado con relleno de cuadrícula en diagonal
▪ cuadrado negro pequeño
▫ cuadrado blanco pequeño
▬ rectángulo relleno
▭ rectángulo hueco
▮ rectángulo vertical relleno
▰ paralelogramo relleno
▲ triángulo relleno apuntando hacia arriba
△ triángulo hueco que apunta hacia arriba
▴ triángulo pequeño relleno que apunta hacia arriba
▵ triángulo pequeño hueco que apunta hacia arriba
▶ reproducir
▷ triángulo hueco que apunta hacia la derecha
▸ triángulo pequeño relleno que apunta hacia la derecha
▹ triángulo pequeño hueco que apunta hacia la derecha
► puntero relleno que apunta hacia la derecha
▻ puntero hueco que apunta hacia la derecha
▼ triángulo relleno apuntando hacia abajo
▽ triángulo hueco que apunta hacia abajo
▾ triángulo relleno pequeño que apunta hacia abajo
▿ triángulo hueco pequeño que apunta hacia abajo
◀ retroceso
◁ triángulo hueco que apunta hacia la izquierda
◂ triángulo relleno pequeño que apunta hacia la izquierda
◃ triángulo hueco pequeño que apunta hacia la izquierda
◄ puntero relleno que apunta hacia la izquierda
◅ puntero hueco que apunta hacia la izquierda
◆ rombo relleno
◇ rombo hueco
◈ rombo hueco con rombo relleno dentro
◉ círculo hueco con círculo relleno dentro
◊ rombo
○ círculo hueco
◌ círculo punteado
◍ círculo con relleno vertical
◎ círculos concéntricos
● círculo relleno
◐ círculo con la mitad izquierda rellena
◑ círculo con la mitad derecha rellena
◒ círculo con la mitad inferior rellena
◓ círculo con la mitad superior rellena
◔ círculo con el cuadrante superior derecho relleno
◕ círculo relleno excepto el cuadrante superior izquierdo
◖ semicírculo izquierdo relleno
◗ semicírculo derecho relleno
◘ bolo inverso
◙ cuadrado relleno con círculo hueco dentro
◜ arco de cuadrante superior izquierdo de círculo
◝ arco de cuadrante superior derecho de círculo
◞ arco de cuadrante inferior derecho de círculo
◟ arco de cuadrante inferior izquierdo de círculo
◠ semicírculo superior
◡ semicírculo inferior
◢ triángulo inferior derecho relleno
◣ triángulo inferior izquierdo relleno
◤ triángulo superior izquierdo relleno
◥ triángulo superior derecho relleno
◦ bolo hueco
◯ círculo hueco grande
◳ cuadrante superior derecho en cuadrado hueco
◷ cuadrante superior derecho en círculo hueco
◻ cuadrado blanco mediano
◼ cuadrado negro mediano
◽ cuadrado blanco mediano-pequeño
◾ cuadrado negro mediano-pequeño
◿ triángulo inferior derecho
☀ sol
☁ nube
☂ paraguas
☃ muñeco de nieve con nieve
☄ meteorito
☎ teléfono
☑ casilla con marca de verificación
☔ paraguas con gotas de lluvia
☕ bebida caliente
☘ trébol
☝ dedo índice hacia arriba
☠ calavera y huesos cruzados
☢ radiactivo
☣ riesgo biológico
☦ cruz ortodoxa
☪ media luna y estrella
☮ símbolo de la paz
☯ yin yang
☸ rueda del dharma
☹ cara con el ceño fruncido
☺ cara sonriente
♀ signo femenino
♂ signo masculino
♈ Aries
♉ Tauro
♊ Géminis
♋ Cáncer
♌ Leo
♍ Virgo
♎ Libra
♏ Escorpio
♐ Sagitario
♑ Capricornio
♒ Acuario
♓ Piscis
♟ peón de ajedrez
♠ palo de picas
♣ palo de tréboles
♥ palo de corazones
♦ palo de diamantes
♨ aguas termales
♪ corchea
♭ bemol
♯ sostenido
♻ símbolo de reciclaje
♾ infinito
♿ símbolo de silla de ruedas
⚒ martillo y pico
⚓ ancla
⚔ espadas cruzadas
⚕ símbolo de medicina
⚖ balanza
⚗ alambique
⚙ engranaje
⚛ símbolo de átomo
⚜ flor de lis
⚠ advertencia
⚡ alto voltaje
⚧ símbolo de transgénero
⚪ círculo blanco
⚫ círculo negro
⚰ ataúd
⚱ urna funeraria
⚽ balón de fútbol
⚾ béisbol
⛄ muñeco de nieve
⛅ sol detrás de una nube
⛈ nube con rayo y lluvia
⛎ Ofiuco
⛏ pico
⛑ casco con una cruz blanca
⛓ cadenas
⛔ dirección prohibida
⛩ santuario sintoísta
⛪ iglesia
⛰ montaña
⛱ sombrilla en la arena
⛲ fuente
⛳ banderín en hoyo
⛴ ferri
⛵ velero
⛷ persona esquiando
⛸ patín de hielo
⛹ persona botando un balón
⛺ tienda de campaña
⛽ surtidor de gasolina
✂ tijeras
✅ botón de marca de verificación
✈ avión
✉ sobre
✊ puño en alto
✋ mano levantada
✌ mano con señal de victoria
✍ mano escribiendo
✏ lápiz
✒ pluma negra
✔ marca de verificación
✖ multiplicación
✝ cruz latina
✡ estrella de David
✨ chispas
✳ asterisco de ocho puntas
✴ estrella de ocho puntas
❄ copo de nieve
❇ chispa
❌ marca de cruz
❎ botón con marca de cruz
❓ interrogación roja
❔ interrogación blanca
❕ exclamación blanca
❗ exclamación roja
❣ exclamación de corazón
❤ corazón rojo
➕ más
➖ menos
➗ división
➡ flecha hacia la derecha
➰ bucle
➿ bucle doble
⤴ flecha derecha curvándose hacia arriba
⤵ flecha derecha curvándose hacia abajo
⨧ más subíndice dos
⨯ vector o producto cruzado
⨼ producto interior
⩣ lógica o doble barra inferior
⩽ menor que o igual con barra inclinada
⪍ menor que sobre igual o similar
⪚ doble línea sobre mayor que
⪺ sucede sobre signo de no casi igual
⬅ flecha hacia la izquierda
⬆ flecha hacia arriba
⬇ flecha hacia abajo
⬛ cuadrado negro grande
⬜ cuadrado blanco grande
⭐ estrella
⭕ círculo rojo hueco
㊗ ideograma japonés para "enhorabuena"
㊙ ideograma japonés para "secreto"
﷼ rial
`
