/** A character and its name on each line: from CLDR's annotations, version 48.2 (Unicode-3.0). */
export const SYMBOL_NAMES = `
¢ centavo
£ libra
¥ iene
§ seção
© símbolo de copyright
¬ negação
® símbolo de registrado
° grau
± mais ou menos
² número dois sobrescrito
³ número três sobrescrito
¶ pé de mosca
¹ número um sobrescrito
× símbolo de multiplicação
÷ sinal de divisão
‰ por mil
※ marca de referência
⁄ barra de fração
⁻ menos sobrescrito
₢ cruzeiros
₣ franco francês
₤ lira
₥ mill
₨ rupia
₩ won
€ euro
₰ centavo alemão
₱ peso
₳ austral
₶ livre tournois
₷ spesmilo
₹ rupia indiana
₽ rublo
₿ bitcoin
℗ símbolo de direitos autorais de fonograma
™ símbolo de marca registrada
← seta apontando para a esquerda
↑ seta apontando para cima
→ seta apontando para a direita
↓ seta apontando para baixo
↔ seta para esquerda e direita
↕ seta para cima e para baixo
↖ seta para cima e para a esquerda
↗ seta para cima e para a direita
↘ seta para baixo e para a direita
↙ seta para baixo e para a esquerda
↚ traçado de seta para a esquerda
↛ traçado de seta para a direita
↜ seta ondulada para a esquerda
↝ seta ondulada para a direita
↞ seta de duas pontas para a esquerda
↟ seta de duas pontas para cima
↠ seta de duas pontas para a direita
↡ seta de duas pontas para baixo
↢ flecha com cauda para a esquerda
↣ flecha com cauda para a direita
↤ flecha com barra para a esquerda
↥ flecha com barra para cima
↦ flecha com barra para a direita
↧ flecha com barra para baixo
↨ seta para cima e para baixo com base
↩ seta curva da direita para a esquerda
↪ seta curva da esquerda para a direita
↫ seta para a esquerda com laço
↬ seta para a direita com laço
↭ seta ondulada bidirecional
↮ traçado de seta para direita e esquerda
↯ seta em zigue-zague para baixo
↰ seta para cima com ponta para esquerda
↱ seta para cima com ponta para direita
↲ seta para baixo com ponta para esquerda
↳ seta para baixo com ponta para direita
↴ seta para direita com ponta para baixo
↵ seta para baixo com curva para esquerda
↶ seta de semicírculo superior no sentido anti-horário
↷ seta de semicírculo superior no sentido horário
↸ seta noroeste sob barra longa
↹ seta para a esquerda da barra sobre seta para a direita da barra
↺ seta de círculo aberto no sentido anti-horário
↻ seta de círculo aberto no sentido horário
↼ arpão para a esquerda com farpa para cima
↽ arpão para a esquerda com farpa para baixo
↾ arpão para cima com farpa para a direita
↿ arpão para cima com farpa para a esquerda
⇀ arpão para a direita com farpa para cima
⇁ arpão para a direita com farpa para baixo
⇂ arpão para baixo com farpa para a direita
⇃ arpão para baixo com farpa para a esquerda
⇄ seta para a direita sobre seta para a esquerda
⇅ setas apontando para cima e para baixo
⇆ setas apontando para a esquerda e para a direita
⇇ setas paralelas para a esquerda
⇈ setas paralelas para cima
⇉ setas paralelas para a direita
⇊ setas paralelas para baixo
⇋ arpão para a esquerda sobre arpão para a direita
⇌ arpão para a direita sobre arpão para a esquerda
⇍ seta dupla para a esquerda com traço
⇎ seta dupla bidirecional com traço
⇏ seta dupla para a direita com traço
⇐ seta dupla para a esquerda
⇑ seta dupla para cima
⇒ seta dupla para a direita
⇓ seta dupla para baixo
⇔ seta dupla bidirecional
⇖ seta dupla para noroeste
⇗ seta dupla para nordeste
⇘ seta dupla para sudeste
⇙ seta dupla para sudoeste
⇚ seta tripla para a esquerda
⇛ seta tripla para a direita
⇜ seta de rabisco para a esquerda
⇝ seta de rabisco para a direita
⇞ seta para cima com traço duplo
⇟ seta para baixo com traço duplo
⇠ seta tracejada para a esquerda
⇡ seta tracejada para cima
⇢ seta tracejada para a direita
⇣ seta tracejada para baixo
⇤ seta para a esquerda da barra
⇥ seta para a direita da barra
⇦ seta branca para a esquerda
⇧ seta branca para cima
⇨ seta branca para a direita
⇩ seta branca para baixo
⇪ seta branca para cima da barra
⇵ seta para baixo à esquerda da seta para cima
∀ para todos
∂ diferencial parcial
∃ existe
∅ conjunto vazio
∆ delta
∇ nabla
∈ elemento de
∉ não pertence
∋ contém como membro
∎ fim da prova
∏ produto n-ário
∑ somatório n-ário
− sinal de menos
∓ menos ou mais
∕ barra de divisão
∗ operador de asterisco
∘ operador de anel
∙ operador de marca de lista
√ raiz quadrada
∝ proporcional a
∞ sinal de infinito
∟ ângulo direito
∠ ângulo
∣ divide
∥ paralelo
∧ e lógico
∩ interseção
∪ união
∫ integral
∬ integral duplo
∮ integral de contorno
∴ então
∵ porque
∶ razão
∷ proporção
∼ operador de til
∽ til invertido
∾ s preguiçoso invertido
≃ assintoticamente igual
≅ aproximadamente igual
≈ quase igual
≌ tudo igual
≒ aproximadamente igual à imagem
≖ anel em igual
≠ desigual
≡ igual a
≣ estritamente equivalente
≤ menor que ou igual a
≥ maior que ou igual
≦ menor que sobre igual
≧ maior que sobre igual
≪ muito menor que
≫ muito maior que
≬ entre
≮ não menor que
≯ não maior que
≳ maior que ou equivalente
≺ precede
≻ sucede
⊁ não sucede
⊂ subconjunto de
⊃ superconjunto
⊆ subconjunto de ou igual
⊇ superconjunto de ou igual
⊕ mais em círculo
⊖ menos em círculo
⊗ vezes em círculo
⊘ barra de divisão em círculo
⊙ operador de ponto em círculo
⊚ operador de anel em círculo
⊛ operador de asterisco em círculo
⊞ mais em quadrado
⊟ menos em quadrado
⊥ contradição arbitrária
⊮ não força
⊰ precede em relação
⊱ sucede em relação
⊶ original
⊹ matriz conjugada hermitiana
⊿ triângulo retângulo direito
⋁ ou lógico n-ário
⋂ interseção n-ária
⋃ união n-ária
⋅ operador de ponto
⋆ operador de estrela
⋈ junção natural
⋒ interseção dupla
⋘ muitíssimo menor que
⋙ muitíssimo maior que
⋭ não contém como subgrupo normal ou igual
⋮ reticências verticais
⋯ reticências horizontais a meio da linha
⋰ reticências diagonais direitas para cima
⋱ reticências diagonais direitas para baixo
⌚ relógio de pulso
⌛ ampulheta
⌨ teclado
⏏ botão ejetar
⏩ botão avançar
⏪ botão de retroceder
⏫ botão de avanço para cima
⏬ botão de avanço para baixo
⏭ botão de próxima faixa
⏮ botão de faixa anterior
⏯ botão de reproduzir ou pausar
⏰ despertador
⏱ cronômetro
⏲ relógio temporizador
⏳ ampulheta contando o tempo
⏸ botão pausar
⏹ botão parar
⏺ botão gravar
Ⓜ círculo com a letra M
■ quadrado preenchido
□ quadrado vazio
▢ quadrado vazio com cantos arredondados
▣ quadrado vazio com quadrado preenchido
▤ quadrado com linhas horizontais
▥ quadrado com linhas verticais
▦ quadrado com linhas cruzadas ortogonais
▧ quadrado com linhas do canto superior esquerdo para o canto inferior direito
▨ quadrado com linhas do canto superior direito para o canto inferior esquerdo
▩ quadrado com linhas cruzadas diagonais
▪ quadrado preto pequeno
▫ quadrado branco pequeno
▬ retângulo preenchido
▭ retângulo vazio
▮ retângulo vertical preenchido
▰ paralelogramo preenchido
▲ triângulo preenchido apontando para cima
△ triângulo vazio apontando para cima
▴ triângulo pequeno preenchido apontando para cima
▵ triângulo pequeno vazio apontando para cima
▶ botão reproduzir
▷ triângulo vazio apontando para a direita
▸ triângulo pequeno preenchido apontando para a direita
▹ triângulo pequeno vazio apontando para a direita
► ponteiro preenchido apontando para a direita
▻ ponteiro vazio apontando para a direita
▼ triângulo preenchido apontando para baixo
▽ triângulo vazio apontando para baixo
▾ triângulo pequeno preenchido apontando para baixo
▿ triângulo pequeno vazio apontando para baixo
◀ botão de voltar
◁ triângulo vazio apontando para a esquerda
◂ triângulo pequeno preenchido apontando para a esquerda
◃ triângulo pequeno vazio apontando para a esquerda
◄ ponteiro preenchido apontando para a esquerda
◅ ponteiro vazio apontando para a esquerda
◆ losango preenchido
◇ losango vazio
◈ losango vazio com losango preenchido
◉ círculo vazio com círculo preenchido
◊ losango
○ círculo vazio
◌ círculo pontilhado
◍ círculo com linhas verticais
◎ círculos concêntricos
● círculo preenchido
◐ círculo com a metade esquerda preenchida
◑ círculo com a metade direita preenchida
◒ círculo com a metade inferior preenchida
◓ círculo com a metade superior preenchida
◔ círculo com quadrante superior direito preenchido
◕ círculo preenchido exceto o quadrante superior esquerdo
◖ metade esquerda do círculo preenchida
◗ metade direita do círculo preenchida
◘ marcador invertido
◙ quadrado preenchido com círculo vazio
◜ quarto de círculo superior esquerdo
◝ quarto de círculo superior direito
◞ quarto de círculo inferior direito
◟ quarto de círculo inferior esquerdo
◠ meio círculo superior
◡ meio círculo inferior
◢ triângulo inferior direito preenchido
◣ triângulo inferior esquerdo preenchido
◤ triângulo superior esquerdo preenchido
◥ triângulo superior direito preenchido
◦ marcador vazio
◯ círculo vazio grande
◳ quadrado vazio com quadrante superior direito
◷ círculo vazio com quadrante superior direito
◻ quadrado branco médio
◼ quadrado preto médio
◽ quadrado branco médio menor
◾ quadrado preto médio menor
◿ triângulo inferior direito
☀ sol
☁ nuvem
☂ guarda-chuva
☃ boneco de neve
☄ cometa
☎ telefone no gancho
☑ caixa de seleção marcada com tique
☔ sombrinha na chuva
☕ café
☘ trevo
☝ indicador apontando para cima
☠ caveira e ossos cruzados
☢ radioativo
☣ risco biológico
☦ cruz ortodoxa
☪ estrela e lua crescente
☮ símbolo da paz
☯ yin yang
☸ roda do Dharma
☹ rosto descontente
☺ rosto sorridente
♀ símbolo de feminino
♂ símbolo de masculino
♈ signo de Áries
♉ signo de Touro
♊ signo de Gêmeos
♋ signo de Câncer
♌ signo de Leão
♍ signo de Virgem
♎ signo de Libra
♏ signo de Escorpião
♐ signo de Sagitário
♑ signo de Capricórnio
♒ signo de Aquário
♓ signo de Peixes
♟ peão de xadrez
♠ naipe de espadas
♣ naipe de paus
♥ naipe de copas
♦ naipe de ouros
♨ chamas
♪ colcheia
♭ bemol
♯ sustenido
♻ símbolo de reciclagem
♾ infinito
♿ símbolo de cadeira de rodas
⚒ martelo e picareta
⚓ âncora
⚔ espadas cruzadas
⚕ símbolo da medicina
⚖ balança
⚗ alambique
⚙ engrenagem
⚛ símbolo de átomo
⚜ flor-de-lis
⚠ aviso
⚡ alta tensão
⚧ símbolo transgênero
⚪ círculo branco
⚫ círculo preto
⚰ caixão
⚱ urna funerária
⚽ bola de futebol
⚾ bola de beisebol
⛄ boneco de neve sem neve
⛅ sol por trás das nuvens
⛈ chuva com trovão
⛎ signo de Ofiúco
⛏ picareta
⛑ capacacete de socorrista
⛓ correntes
⛔ entrada proibida
⛩ santuário japonês
⛪ igreja
⛰ montanha
⛱ guarda-sol
⛲ fonte
⛳ bandeira no buraco
⛴ balsa
⛵ barco a vela
⛷ esquiador
⛸ patins de gelo
⛹ pessoa jogando basquete
⛺ barraca
⛽ posto de gasolina
✂ tesoura
✅ marca de seleção branca
✈ avião
✉ envelope
✊ punho levantado
✋ mão levantada
✌ mão em V de vitória
✍ escrevendo à mão
✏ lápis
✒ ponta de caneta tinteiro
✔ marca de seleção
✖ sinal de multiplicação
✝ cruz latina
✡ estrela de Davi
✨ brilhos
✳ asterisco de oito pontas
✴ estrela de oito pontas
❄ floco de neve
❇ faísca
❌ xis
❎ botão de xis
❓ ponto de interrogação vermelho
❔ ponto de interrogação branco
❕ ponto de exclamação branco
❗ ponto de exclamação vermelho
❣ exclamação de coração
❤ coração vermelho
➕ símbolo de adição
➖ símbolo de subtração
➗ símbolo de divisão
➡ seta para a direita
➰ laço encaracolado
➿ loop encaracolado duas vezes
⤴ seta para a direita curvada para cima
⤵ seta para a direita curvada para baixo
⨧ mais com dois subscrito
⨯ produto vetorial
⨼ produto interior
⩣ ou lógico com duas barras subscritas
⩽ menor que ou igual inclinado
⪍ menor que acima de similar ou igual
⪚ igual de duas linhas ou maior que
⪺ sucede acima de não quase igual
⬅ seta para a esquerda
⬆ seta para cima
⬇ seta para baixo
⬛ quadrado preto grande
⬜ quadrado branco grande
⭐ estrela branca média
⭕ círculo grande oco
㊗ botão japonês de “parabéns”
㊙ botão japonês de “segredo”
﷼ rial
`
