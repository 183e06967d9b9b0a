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
  cc | centímetro cúbico | centímetros cúbicos
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
  m2 | metro quadrado | metros quadrados
  m3 | metro cúbico | metros cúbicos
  cm2 | centímetro quadrado | centímetros quadrados
  cm3 | centímetro cúbico | centímetros cúbicos
  km2 | quilômetro quadrado | quilômetros quadrados
  N·m,Nm | newton-metro | newtons-metro
  Mpx,MP | megapixel | megapixels
  bpm | batimento por minuto | batimentos por minuto
  lt,lts | litro
  xíc | xícara
  cx | caixa
  comp | comprimido
  qto,qtos | quarto
  pct | pacote
  un | unidade
  pt,pts | ponto
  dorm,dorms | dormitório
  col. sopa,col. de sopa,colh. sopa,c. sopa | colher de sopa | colheres de sopa
  col. chá,col. de chá,colh. chá,c. chá | colher de chá | colheres de chá
  col,colh | colher | colheres
  B | byte
  KB,kB | quilobyte
  MB | megabyte
  GB | gigabyte
  TB | terabyte
  kbps | quilobit por segundo | quilobits por segundo
  Mbps,Mb/s | megabit por segundo | megabits por segundo
  Gbps,Gb/s | gigabit por segundo | gigabits por segundo
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
  US$,USD,U$ | dólar americano | dólares americanos | centavo
  CAD | dólar canadense | dólares canadenses | centavo
  AUD,A$ | dólar australiano | dólares australianos | centavo
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
  MXN,MX$ | peso mexicano | pesos mexicanos | centavo
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
export const PER_UNITS = `
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
  ação | ação
  oz | onça
  barril | barril
  ha | hectare
  t | tonelada
  semana | semana
  hab | habitante
  unidade | unidade
`

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
  Cia.,cia. | companhia
  dir. | direito
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
  Cap. | capitão
  Ten. | tenente
  Sgt. | sargento
  Pe. | padre
  p. ex.,p.ex.,por ex. | por exemplo
  EUA | Estados Unidos
  Av.,av. | avenida
  Pça.,Pç. | praça
  Rod. | rodovia
  Trav. | travessa
  Lgo. | largo
  Tel.,tel. | telefone
  Sto. | santo
  Sta. | santa
  vs. | contra
  dept.,depto.,dep. | departamento
  apto.,ap. | apartamento
  ref. | referência
  obs.,Obs. | observação
  Att.,att. | atenciosamente
  adm. | administração
  V. Ex.ª,V. Exa. | vossa excelência
  nac. | nacional
  séc. | século
  sécs. | séculos
  ed. | edição
  kg/m² | quilogramas por metro quadrado
  Pres. | presidente
  Min. | ministro
  Minª.,Min.ª | ministra
  Sen. | senador
  Dep. | deputado
  Gov. | governador
  Pref. | prefeito
  Ver. | vereador
  Dir. | diretor
  Maj. | major
  Alm. | almirante
  Brig. | brigadeiro
  Fr. | frei
  Ir. | irmã
  Mons. | monsenhor
  Rev. | reverendo
  Arq.ª | arquiteta
  Eng.ª | engenheira
  Exma. | excelentíssima
  Exmos. | excelentíssimos
  Exmas. | excelentíssimas
  Ilma. | ilustríssima
  Al. | alameda
  Tv. | travessa
  Estr. | estrada
  Lg. | largo
  Qd. | quadra
  Lt. | lote
  Cj.,cj. | conjunto
  Ed. | edifício
  Jd. | jardim
  Vl. | vila
  Pq. | parque
  Urb. | urbanização
  Bl. | bloco
  ap.,apt.,Ap.,Apto. | apartamento
  inc. | inciso
  al. | alínea
  Tlm.,Telm.,tlm.,telm. | telemóvel
  Cel.,cel. | celular
  Ex.,ex. | exemplo
  cf. | conforme
  cód.,Cód. | código
  qtd.,Qtd.,qtde. | quantidade
  tam.,Tam. | tamanho
  Vel.,vel. | velocidade
  temp.,Temp. | temperatura
  tab.,Tab. | tabela
  hab. | habitantes
  ag.,Ag. | agência
  Univ. | universidade
  Fac. | faculdade
  prov. | província
  mun. | município
  v. nota | ver nota
  et al. | e outros
  M.ª | Maria
  gar. | garagem
  cond. | condomínio
  Inc. | inc
  v. pág. | ver página
  s/nº,s/n.º | sem número
  pess. | pessoas
  pça. | praça
`)

/** Those that a sentence may end with. */
export const CLOSING = spokenForms(`
  etc.,Etc. | et cetera
  sáb. | sábado
  qui. | quinta
  qua. | quarta
  Cia. Ltda. | companhia limitada
  V. Exa.,V.Exa.,V. Ex.ª | vossa excelência
  S. Exa. | sua excelência
  V.Sa.,V. Sa.,V. S.ª | vossa senhoria
  aprox.,Aprox. | aproximadamente
  a.C.,a. C. | antes de Cristo
  d.C.,d. C. | depois de Cristo
  máx.,Máx. | máximo
  mín.,Mín. | mínimo
  méd. | média
  e Cia.,e cia. | e companhia
  Ltda.,ltda. | limitada
  Lda. | limitada
  S.A.,S. A.,S/A | sociedade anônima
  esq.,Esq. | esquerdo
  esq. da | esquina da
  esq. com | esquina com
  dto.,dta.,Dto. | direito
  P.S.,P. S. | pós-escrito
  N.B. | note bem
  p.p.,p. p. | pontos percentuais
  p.b. | pontos-base
  a.a.,a. a. | ao ano
  a.m.,a. m. | ao mês
  a.d. | ao dia
  segs.,ss. | seguintes
  resp. | respectivamente
  E.U.A. | Estados Unidos
  U.E. | União Europeia
  op. cit. | obra citada
  i.e.,i. e. | isto é
  incl. | incluso
  excl. | excluso
  Jr.,jr. | júnior
  sem. | semestre
  trim. | trimestre
  Sr(a).,Sr.(a) | senhor ou senhora
  Dr(a).,Dr.(a) | doutor ou doutora
  Prof(a).,Prof.(a) | professor ou professora
  and. | andar
`)

/** Only before a number. */
export const BEFORE_NUMBERS = `
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
  min. | minuto
  ver.,Ver. | versão
`

/** Before a family name. */
export const TITLES = spokenForms(`
  D. | dom
  R. | rua
  S. | são
  Cel. | coronel
  N. Sra.,N. S.ª | Nossa Senhora
  Sr(a).,Sr.(a) | senhor ou senhora
  Dr(a).,Dr.(a) | doutor ou doutora
  Prof(a).,Prof.(a) | professor ou professora
`)

/** Acronyms of two or three letters that are said as words. */
export const ACRONYMS = new Set(
  wordsOf('ONU IVA NIF IMI SIC SUS PIB CEP PIS SIM LED PIN ISO USP OPEP RAM ROM CUT MEC PIX COP SOS PUC'),
)

/** Long acronyms that are spelled. */
export const SPELLED = new Set(wordsOf('IBGE INSS IPTU IPVA ICMS BNDES FGTS IPCA'))

/** Without their period. */
export const WEEKDAYS = spokenForms(`
  seg | segunda
  ter | terça
  qua | quarta
  qui | quinta
  sex | sexta
  sáb | sábado
  dom | domingo
`)

/** Forms with a slash. Those that end with it stand before a word. */
export const SLASHED = spokenForms(`
  s/n,S/N | sem número
  e/ou | e ou
  c/c | conta corrente
  A/C,a/c | aos cuidados de
  R/C,r/c | rés do chão
  n/d,N/D | não disponível
  p/ | para
  c/ | com
  s/ | sem
`)

/** Words of chats. */
export const CHAT = spokenForms(`
  vc | você
  vcs | vocês
  q | que
  pq,pque | porque
  tb,tbm | também
  td | tudo
  tds | todos
  qdo,qnd | quando
  qto | quanto
  hj | hoje
  blz | beleza
  msg | mensagem
  msgs | mensagens
  obg,obgd | obrigado
  vlw | valeu
  flw | falou
  mto,mt | muito
  mta | muita
  bjs | beijos
  bj | beijo
  cmg | comigo
  ctg | contigo
  dps | depois
  agr | agora
  fds | fim de semana
  nd | nada
  ngm | ninguém
  pfv | por favor
  sdds | saudades
  kd | cadê
  tbem | também
  n sei | não sei
  n dá | não dá
  n vou | não vou
  n tem | não tem
  n é | não é
  n quero | não quero
  n posso | não posso
  n tô | não tô
  n to | não tô
`)
