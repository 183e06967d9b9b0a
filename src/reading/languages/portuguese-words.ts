import { spokenForms, wordsOf } from '../table.ts'

/** Written forms, singular, and plural if it is not regular. */
export const UNITS = `
  mm | milímetro
  cm | centímetro
  dm | decímetro
  m | metro
  km,Km | quilômetro
  nm | nanômetro
  µm,μm | micrômetro
  ha | hectare
  mi | milha
  ft | pé
  in | polegada
  yd | jarda
  µg,μg,mcg | micrograma
  mg | miligrama
  g,gr | grama
  kg,Kg | quilo
  t | tonelada
  lb,lbs | libra
  oz | onça
  ml,mL | mililitro
  cl | centilitro
  dl | decilitro
  l,L | litro
  hl | hectolitro
  ms | milissegundo
  s,seg | segundo
  min | minuto
  h,hs | hora
  d | dia
  Hz | hertz | hertz
  kHz | quilohertz | quilohertz
  MHz | megahertz | megahertz
  GHz | gigahertz | gigahertz
  W | watt
  kW | quilowatt
  MW | megawatt
  GW | gigawatt
  kWh | quilowatt-hora | quilowatts-hora
  Wh | watt-hora | watts-hora
  V | volt
  kV | quilovolt
  A | ampere
  mA | miliampere
  mAh | miliampere-hora | miliamperes-hora
  Ω | ohm
  kΩ | quilo-ohm
  J | joule
  kJ | quilojoule
  cal | caloria
  kcal | quilocaloria
  N | newton | newtons
  Pa | pascal | pascais
  kPa | quilopascal | quilopascais
  hPa | hectopascal | hectopascais
  MPa | megapascal | megapascais
  bar | bar | bares
  mmHg | milímetro de mercúrio | milímetros de mercúrio
  cv | cavalo
  dB | decibel | decibéis
  lm | lúmen | lúmens
  lx | lux | lux
  mol | mol | mols
  rpm | rotação por minuto | rotações por minuto
  B | byte
  KB,kB | quilobyte
  MB | megabyte
  GB | gigabyte
  TB | terabyte
  kbps | quilobit por segundo | quilobits por segundo
  Mbps | megabit por segundo | megabits por segundo
  Gbps | gigabit por segundo | gigabits por segundo
  px | pixel | pixels
  mph | milha por hora | milhas por hora
  hab | habitante
  ppm | parte por milhão | partes por milhão
  °C,ºC,℃,° C,º C | grau Celsius | graus Celsius
  °F,ºF | grau Fahrenheit | graus Fahrenheit
`

/** Written forms, singular, plural, then the hundredth part. */
export const CURRENCIES = `
  R$,BRL,reais | real | reais | centavo
  €,EUR,euros,euro | euro | euros | centavo
  $,dólares | dólar | dólares | centavo
  US$,USD | dólar americano | dólares americanos | centavo
  CAD | dólar canadense | dólares canadenses | centavo
  AUD | dólar australiano | dólares australianos | centavo
  £ | libra | libras | pence | pence
  GBP | libra esterlina | libras esterlinas | pence | pence
  ¥,JPY | iene | ienes
  CNY | yuan | yuans
  ₩ | won | wons
  ₽,RUB | rublo | rublos | copeque
  ₹,INR | rupia | rupias
  ₺ | lira turca | liras turcas
  ₴ | grívnia | grívnias
  ₿,BTC | bitcoin | bitcoins
  ₪ | shekel | shekels
  ₫ | dong | dongs
  ฿ | baht | bahts
  ₱ | peso filipino | pesos filipinos
  ₲,PYG | guarani | guaranis
  CHF | franco suíço | francos suíços | cêntimo
  MXN | peso mexicano | pesos mexicanos | centavo
  ARS | peso argentino | pesos argentinos | centavo
  CLP | peso chileno | pesos chilenos
  UYU | peso uruguaio | pesos uruguaios | centavo
  COP | peso colombiano | pesos colombianos | centavo
  AOA | kwanza | kwanzas | cêntimo
  MZN | metical | meticais | centavo
  CVE | escudo cabo-verdiano | escudos cabo-verdianos | centavo
  SEK | coroa sueca | coroas suecas
  NOK | coroa norueguesa | coroas norueguesas
  DKK | coroa dinamarquesa | coroas dinamarquesas
  PLN | zloty | zlotys
`

/** Behind a slash. */
export const PER_UNITS = spokenForms(`
  h | hora
  s,seg | segundo
  min | minuto
  dia,d | dia
  mês | mês
  ano | ano
  kg | quilograma
  g | grama
  l,L | litro
  dl,dL | decilitro
  ml | mililitro
  m | metro
  km | quilômetro
  cm | centímetro
  kWh | quilowatt-hora
  pessoa | pessoa
  noite | noite
  semana | semana
  hab | habitante
  unidade | unidade
`)

/** Inside of addresses. */
export const MARKS = spokenForms(`
  . | ponto
  / | barra
  : | dois pontos
  - | hífen
  _ | sublinhado
  @ | arroba
  ? | ponto de interrogação
  = | igual
  & | e
  # | cerquilha
  % | por cento
  + | mais
  ~ | til
  ! | ponto de exclamação
  ^ | circunflexo
`)

export const SYMBOLS = spokenForms(`
  ² | ao quadrado
  ³ | ao cubo
  &,∧ | e
  % | por cento
  ‰ | por mil
  ‱ | por dez mil
  + | mais
  − | menos
  ± | mais ou menos
  ∓ | menos ou mais
  ×,∙,⋅ | vezes
  ÷ | dividido por
  = | igual a
  ≠ | diferente de
  ≈ | aproximadamente
  ≡ | idêntico a
  ≅ | congruente com
  < | menor que
  > | maior que
  ≤ | menor ou igual a
  ≥ | maior ou igual a
  ≪ | muito menor que
  ≫ | muito maior que
  √ | raiz quadrada de
  ∛ | raiz cúbica de
  ∞ | infinito
  ∝ | proporcional a
  ∑ | soma de
  ∏ | produto de
  ∫ | integral de
  ∂ | derivada parcial
  ∆ | delta
  ∇ | nabla
  ∀ | para todo
  ∃ | existe
  ∄ | não existe
  ∈ | pertence a
  ∉ | não pertence a
  ∅ | conjunto vazio
  ∩ | interseção
  ∪ | união
  ⊂,⊆ | subconjunto de
  ⊃,⊇ | superconjunto de
  ∨ | ou
  ¬ | não
  ∠ | ângulo
  ⊥ | perpendicular a
  ∥ | paralelo a
  ∴ | portanto
  ∵ | porque
  ° | graus
  ′ | minutos
  ″ | segundos
  ^ | elevado a
  ~ | cerca de
  \\ | barra invertida
  №,# | número
  @ | arroba
  §,¶ | parágrafo
  † | cruz
  ‡ | cruz dupla
  © | copyright
  ® | marca registrada
  ™ | marca comercial
  ℃ | graus Celsius
  ℉ | graus Fahrenheit
  ℓ | litros
  Ω | ohms
  ℮ | quantidade estimada
  $ | dólares
  € | euros
  £ | libras
  ¥ | ienes
  ¢ | centavos
  ₩ | wons
  ₽ | rublos
  ₹ | rupias
  ₫ | dongs
  ฿ | bahts
  ₺ | liras turcas
  ₴ | grívnias
  ₱ | pesos
  ₪ | shekels
  ₿ | bitcoins
  ₦ | nairas
  ₡ | colones
  ₲ | guaranis
  ₵ | cedis
  ₸ | tenges
  ₮ | tugriques
  ₭ | kips
  ₼ | manats
  ₾ | laris
  ₧ | pesetas
  ¤ | moeda
  → | seta para a direita
  ← | seta para a esquerda
  ↑ | seta para cima
  ↓ | seta para baixo
  ↔ | seta dupla
  ⇒ | implica
  ⇔ | equivale a
  ★,☆ | estrela
  ●,○ | círculo
  ◎ | círculo duplo
  ■,□ | quadrado
  ▲,△,▶ | triângulo
  ▼,▽ | triângulo invertido
  ◆,◇ | losango
  ※ | nota
  ♀ | mulher
  ♂ | homem
  ♠ | espadas
  ♥ | copas
  ♦ | ouros
  ♣ | paus
  ♪ | nota musical
  ♫ | notas musicais
  ♭ | bemol
  ♯ | sustenido
  ☎ | telefone
  ✓,✔ | visto
  ✗,✘ | xis
`)

/** From alpha to omega. */
export const GREEK_LETTERS = wordsOf(
  'alfa beta gama delta épsilon zeta eta teta iota capa lambda mi ni csi ômicron pi rô sigma tau ípsilon fi qui psi ômega',
)

/** With their period, wherever they stand. */
export const ABBREVIATIONS = spokenForms(`
  Sr.,sr. | senhor
  pág. | página
  págs. | páginas
  bl. | bloco
  n.º,N.º,nº,Nº | número
  D.ª | dona
  Sra.,sra. | senhora
  Srta. | senhorita
  Srs. | senhores
  Sras. | senhoras
  Dr.,dr. | doutor
  Dra.,dra. | doutora
  Prof. | professor
  Profa.,Prof.ª | professora
  Eng.,Eng.º | engenheiro
  Arq. | arquiteto
  Exmo. | excelentíssimo
  Ilmo. | ilustríssimo
  Gal.,Gen. | general
  Cel. | coronel
  Cap. | capitão
  Ten. | tenente
  Sgt. | sargento
  Pe. | padre
  etc. | et cetera
  p. ex.,p.ex.,por ex. | por exemplo
  aprox. | aproximadamente
  a.C.,a. C. | antes de Cristo
  d.C.,d. C. | depois de Cristo
  EUA | Estados Unidos
  Av.,av. | avenida
  Pça.,Pç. | praça
  Rod. | rodovia
  Trav. | travessa
  Lgo. | largo
  Tel.,tel. | telefone
  Cel. | celular
  máx. | máximo
  mín. | mínimo
  Cia. | companhia
  Ltda. | limitada
  Lda. | limitada
  S.A.,S. A. | sociedade anônima
  Sto. | santo
  Sta. | santa
  vs. | contra
  dept.,depto.,dep. | departamento
  apto.,ap. | apartamento
  ref. | referência
  obs.,Obs. | observação
  Att.,att. | atenciosamente
  adm. | administração
  esq. | esquerdo
  dto.,dta. | direito
  V. Ex.ª,V. Exa. | vossa excelência
  P.S.,P. S. | pós-escrito
  nac. | nacional
  séc. | século
  sécs. | séculos
  ed. | edição
  kg/m² | quilogramas por metro quadrado
`)

/** Only before a number. */
export const BEFORE_NUMBERS = spokenForms(`
  n.º,N.º,nº,Nº,n°,N°,n.,núm.,No. | número
  p.,pág.,Pág. | página
  pp.,págs. | páginas
  cap.,Cap. | capítulo
  art.,Art. | artigo
  arts. | artigos
  fig.,Fig. | figura
  vol.,Vol. | volume
  t. | tomo
  c.,ca. | cerca de
  tel.,Tel. | telefone
  aprox. | aproximadamente
  km.,km,Km | quilômetro
  seg. | segunda
  ter. | terça
  qua. | quarta
  qui. | quinta
  sex. | sexta
  sáb. | sábado
  dom. | domingo
`)

/** Before a family name. */
export const TITLES = spokenForms(`
  D. | dom
  R. | rua
  S. | são
`)

/** Acronyms of two or three letters that are said as words. */
export const ACRONYMS = new Set(wordsOf('ONU SUS PIB CEP PIS SIM LED PIN ISO USP IOF ICMS FGV OAB OPEP UTI'))
