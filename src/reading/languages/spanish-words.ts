import { spokenForms, wordsOf } from '../table.ts'

/** Written forms, singular, and plural if it is not regular. */
export const UNITS = `
  mm | milímetro
  cm | centímetro
  dm | decímetro
  m | metro
  km,Km | kilómetro
  nm | nanómetro
  µm,μm | micrómetro
  ha | hectárea
  mi | milla
  ft | pie
  in | pulgada
  yd | yarda
  µg,μg,mcg | microgramo
  mg | miligramo
  g,gr | gramo
  kg,Kg | kilogramo
  t | tonelada
  lb,lbs | libra
  oz | onza
  ml,mL | mililitro
  cc | centímetro cúbico | centímetros cúbicos
  cl | centilitro
  dl | decilitro
  l,L | litro
  hl | hectolitro
  ms | milisegundo
  s,seg | segundo
  min | minuto
  h,hs,hrs | hora
  d | día
  Hz | hercio
  kHz | kilohercio
  MHz | megahercio
  GHz | gigahercio
  W | vatio
  kW | kilovatio
  MW | megavatio
  GW | gigavatio
  kWh | kilovatio hora | kilovatios hora
  Wh | vatio hora | vatios hora
  V | voltio
  kV | kilovoltio
  A | amperio
  mA | miliamperio
  mAh | miliamperio hora | miliamperios hora
  Ω | ohmio
  kΩ | kiloohmio
  J | julio
  kJ | kilojulio
  cal | caloría
  kcal | kilocaloría
  N | newton | newtons
  Pa | pascal | pascales
  kPa | kilopascal | kilopascales
  hPa | hectopascal | hectopascales
  MPa | megapascal | megapascales
  bar | bar | bares
  mmHg | milímetro de mercurio | milímetros de mercurio
  CV,cv | caballo
  comp | comprimido
  dB | decibelio
  lm | lumen | lúmenes
  lx | lux | lux
  mol | mol | moles
  rpm | revolución por minuto | revoluciones por minuto
  m2 | metro cuadrado | metros cuadrados
  m3 | metro cúbico | metros cúbicos
  cm2 | centímetro cuadrado | centímetros cuadrados
  cm3 | centímetro cúbico | centímetros cúbicos
  km2 | kilómetro cuadrado | kilómetros cuadrados
  N·m,Nm | newton metro | newtons metro
  Mpx,MP | megapíxel | megapíxeles
  lat | latido
  lpm | latido por minuto | latidos por minuto
  cda,cdas | cucharada
  cdta,cdtas,cdita,cditas | cucharadita
  pto,ptos,pts | punto
  ud,uds | unidad
  B | byte
  KB,kB | kilobyte
  MB | megabyte
  GB | gigabyte
  TB | terabyte
  kbps | kilobit por segundo | kilobits por segundo
  Mbps,Mb/s | megabit por segundo | megabits por segundo
  Gbps,Gb/s | gigabit por segundo | gigabits por segundo
  px | píxel | píxeles
  fps | fotograma por segundo | fotogramas por segundo
  mph | milla por hora | millas por hora
  hab | habitante
  ppm | parte por millón | partes por millón
  °C,ºC,℃,°c,° C,º C,° c | grado centígrado | grados centígrados
  °F,ºF | grado Fahrenheit | grados Fahrenheit
`

/** Written forms, singular, plural, then the hundredth part. */
export const CURRENCIES = `
  €,EUR,eur,euro,euros | euro | euros | céntimo
  $,dólares,dólar | dólar | dólares | centavo
  US$,USD,U$S,US $ | dólar estadounidense | dólares estadounidenses | centavo
  CAD | dólar canadiense | dólares canadienses | centavo
  AUD | dólar australiano | dólares australianos | centavo
  £ | libra | libras | penique
  GBP | libra esterlina | libras esterlinas | penique
  ¥ | yen | yenes | centavo
  JPY | yen | yenes
  CNY | yuan | yuanes
  ₩ | won | wones
  ₽,RUB | rublo | rublos | kopek
  ₹,INR | rupia | rupias
  ₧,pta,ptas | peseta | pesetas
  ₺ | lira turca | liras turcas
  ₴ | grivna | grivnas
  ₿,BTC | bitcóin | bitcoines
  ₪ | séquel | séqueles
  ₫ | dong | dongs
  ฿ | baht | bahts
  ₱ | peso filipino | pesos filipinos
  ₲,PYG | guaraní | guaraníes
  ₡ | colón | colones
  CHF | franco suizo | francos suizos | céntimo
  MXN,MX$ | peso mexicano | pesos mexicanos | centavo
  ARS,AR$ | peso argentino | pesos argentinos | centavo
  COP,COL$ | peso colombiano | pesos colombianos | centavo
  CLP,CLP$ | peso chileno | pesos chilenos
  UYU | peso uruguayo | pesos uruguayos | centavo
  DOP | peso dominicano | pesos dominicanos | centavo
  CUP | peso cubano | pesos cubanos | centavo
  BOB | boliviano | bolivianos | centavo
  CRC | colón costarricense | colones costarricenses | céntimo
  NIO | córdoba | córdobas | centavo
  PAB | balboa | balboas | centésimo
  TTD | dólar de Trinidad y Tobago | dólares de Trinidad y Tobago | centavo
  GTQ | quetzal | quetzales | centavo
  HNL | lempira | lempiras | centavo
  AWG | florín arubeño | florines arubeños | centavo
  BRL | real brasileño | reales brasileños | centavo
  R$ | real | reales | centavo
  PEN,S/ | sol | soles | céntimo
  VES,Bs | bolívar | bolívares | céntimo
  SEK | corona sueca | coronas suecas
  NOK | corona noruega | coronas noruegas
  DKK | corona danesa | coronas danesas
  CZK | corona checa | coronas checas
  PLN | esloti | eslotis
  HUF | forinto | forintos
  kr | corona | coronas
  mk | marco | marcos
  fr | franco | francos
  ANG | florín antillano | florines antillanos | centavo
  BBD | dólar barbadense | dólares barbadenses | centavo
  BMD | dólar bermudeño | dólares bermudeños | centavo
  BSD | dólar bahameño | dólares bahameños | centavo
  BZD | dólar beliceño | dólares beliceños | centavo
  FKP | libra malvinense | libras malvinenses | penique
  GYD | dólar guyanés | dólares guyaneses | centavo
  HTG | gourde | gourdes | céntimo
  JMD | dólar jamaiquino | dólares jamaiquinos | centavo
  KYD | dólar caimanés | dólares caimaneses | centavo
  SRD | dólar surinamés | dólares surinameses | centavo
  XCD | dólar del Caribe Oriental | dólares del Caribe Oriental | centavo
`

/** Behind a slash. */
export const PER_UNITS = spokenForms(`
  h | hora
  s,seg | segundo
  min | minuto
  día,d | día
  mes | mes
  año | año
  kg | kilogramo
  g | gramo
  l,L | litro
  dl,dL | decilitro
  ml | mililitro
  m | metro
  km | kilómetro
  cm | centímetro
  kWh | kilovatio hora
  persona | persona
  noche | noche
  acción | acción
  oz | onza
  barril | barril
  ha | hectárea
  t | tonelada
  plaza | plaza
  semana | semana
  hab | habitante
  unidad | unidad
  ud | unidad
`)

/** Inside of addresses. */
export const MARKS = spokenForms(`
  . | punto
  / | barra
  : | dos puntos
  - | guion
  _ | guion bajo
  @ | arroba
  ? | signo de interrogación
  = | igual
  & | y
  # | almohadilla
  % | por ciento
  + | más
  ^ | acento circunflejo
  ~ | tilde
  ! | signo de exclamación
`)

export const SYMBOLS = spokenForms(`
  ² | al cuadrado
  ³ | al cubo
  &,∧ | y
  % | por ciento
  ‰ | por mil
  ‱ | por diez mil
  + | más
  − | menos
  ± | más menos
  ∓ | menos más
  ×,∙,⋅ | por
  ÷ | entre
  = | igual a
  ≠ | distinto de
  ≈,~ | aproximadamente
  ≡ | idéntico a
  ≅ | congruente con
  < | menor que
  > | mayor que
  ≤ | menor o igual que
  ≥ | mayor o igual que
  ≪ | mucho menor que
  ≫ | mucho mayor que
  √ | raíz cuadrada de
  ∛ | raíz cúbica de
  ∞ | infinito
  ∝ | proporcional a
  ∑ | suma de
  ∏ | producto de
  ∫ | integral de
  ∂ | derivada parcial
  ∆ | delta
  ∇ | nabla
  ∀ | para todo
  ∃ | existe
  ∄ | no existe
  ∈ | pertenece a
  ∉ | no pertenece a
  ∅ | conjunto vacío
  ∩ | intersección
  ∪ | unión
  ⊂,⊆ | subconjunto de
  ⊃,⊇ | superconjunto de
  ∨ | o
  ¬ | no
  ∠ | ángulo
  ⊥ | perpendicular a
  ∥ | paralelo a
  ∴ | por lo tanto
  ∵ | porque
  ° | grados
  ′ | minutos
  ″ | segundos
  ^ | elevado a
  \\ | barra invertida
  №,#,№ | número
  @ | arroba
  § | sección
  ¶ | párrafo
  †,✗,✘ | cruz
  ‡ | doble cruz
  © | copyright
  ℃ | grados centígrados
  ℉ | grados Fahrenheit
  ℓ | litros
  Ω | ohmios
  ℮ | cantidad estimada
  $ | dólares
  € | euros
  £ | libras
  ¥ | yenes
  ¢ | centavos
  ₩ | wones
  ₽ | rublos
  ₹ | rupias
  ₫ | dongs
  ฿ | bahts
  ₺ | liras turcas
  ₴ | grivnas
  ₱ | pesos
  ₪ | séqueles
  ₿ | bitcoines
  ₦ | nairas
  ₡ | colones
  ₲ | guaraníes
  ₵ | cedis
  ₸ | tenges
  ₮ | tugriks
  ₭ | kips
  ₼ | manats
  ₾ | laris
  ₧ | pesetas
  ¤ | moneda
  → | flecha derecha
  ← | flecha izquierda
  ↑ | flecha arriba
  ↓ | flecha abajo
  ↔ | flecha doble
  ⇒ | implica
  ⇔ | equivale a
  ★,☆ | estrella
  ●,○ | círculo
  ◎ | círculo doble
  ■,□ | cuadrado
  ▲,△,▶ | triángulo
  ▼,▽ | triángulo invertido
  ◆,◇ | rombo
  ※ | nota
  ♀ | mujer
  ♂ | hombre
  ♠ | picas
  ♥ | corazones
  ♦ | diamantes
  ♣ | tréboles
  ♪ | nota musical
  ♫ | notas musicales
  ♭ | bemol
  ♯ | sostenido
  ☎ | teléfono
  ✓,✔ | marca de verificación
`)

/** From alpha to omega. */
export const GREEK_LETTERS = wordsOf(
  'alfa beta gamma delta épsilon zeta eta theta iota kappa lambda mu nu xi ómicron pi ro sigma tau ípsilon fi ji psi omega',
)

/** With their period, wherever they stand. */
export const ABBREVIATIONS = spokenForms(`
  Cía.,cía. | compañía
  Pl. | plaza
  Rdo.,Rvdo. | reverendo
  Sr.,sr. | señor
  D.ª | doña
  N.º,n.º,Nº,nº | número
  Vid.,vid. | véase
  Sra.,sra. | señora
  Srta.,srta. | señorita
  Sres.,sres. | señores
  Dr.,dr. | doctor
  Dra.,dra. | doctora
  Dres. | doctores
  Dña. | doña
  Prof. | profesor
  Profa. | profesora
  Ing. | ingeniero
  Lic. | licenciado
  Arq. | arquitecto
  Abg. | abogado
  Gral. | general
  Cnel. | coronel
  Cap. | capitán
  Tte. | teniente
  Sgto. | sargento
  Mons. | monseñor
  p. ej.,p.ej. | por ejemplo
  Av.,Avda.,Avd.,av.,avda. | avenida
  C/ | calle
  Ctra. | carretera
  Pza.,pza.,Plza. | plaza
  P.º | paseo
  Urb. | urbanización
  mz.,Mz. | manzana
  esq. | esquina
  Tel.,tel.,Tfno.,tfno.,Teléf. | teléfono
  Dpto.,dpto.,Depto.,depto. | departamento
  Admón. | administración
  vs. | contra
  Sto. | santo
  Sta. | santa
  núm. | número
  pág. | página
  págs. | páginas
  cta. | cuenta
  ref. | referencia
  atte.,Atte. | atentamente
  Excmo. | excelentísimo
  Ilmo. | ilustrísimo
  ed. | edición
  Ed. | editorial
  kg/m² | kilogramos por metro cuadrado
  Pte.,Pdte. | presidente
  Pta.,Pdta. | presidenta
  Vicepdte. | vicepresidente
  Vicepdta. | vicepresidenta
  Min. | ministro
  Dir. | director
  Dira. | directora
  Sec. | secretario
  Hno. | hermano
  Hna. | hermana
  Fr. | fray
  Rev. | reverendo
  Almte. | almirante
  Cmdte. | comandante
  Excma. | excelentísima
  Ilma. | ilustrísima
  Sr. D.,Sr.D. | señor don
  Pol. Ind.,pol. ind. | polígono industrial
  Pol. | polígono
  Ind. | industrial
  Edif. | edificio
  Esc.,esc. | escalera
  Gta. | glorieta
  Ptda. | partida
  Trav. | travesía
  Bo. | barrio
  Bda. | barriada
  Pje. | pasaje
  Cra.,Kra. | carrera
  Cll.,Cl. | calle
  Col. | colonia
  Prov. | provincia
  apdo.,apdos. | apartado
  doc. | documento
  fra.,Fra. | factura
  Fdo. | firmado
  Ej.,ej. | ejemplo
  Obs.,obs. | observaciones
  Vel.,vel. | velocidad
  temp.,Temp. | temperatura
  T.ª | temperatura
  pról. | prólogo
  íd. | ídem
  cf.,cfr. | confróntese
  ext. | extensión
  int. | interior
  Cel.,cel. | celular
  móv. | móvil
  diap. | diapositiva
  hab. | habitantes
  cap. | capítulo
  art. | artículo
  fig. | figura
  vol. | volumen
  ppal. | principal
  gob.,Gob. | gobierno
  Univ. | universidad
  Fac. | facultad
  Ayto.,ayto. | ayuntamiento
  Bach. | bachillerato
  vto.,Vto. | vencimiento
  imp. | importe
  cant. | cantidad
  pers. | personas
  v. nota | véase nota
  v. pág. | véase página
  St. | saint
  Mt. | monte
  Gral.,gral. | general
  Hnos. | hermanos
  et al. | y otros
  calef. | calefacción
  p.k.,P.K.,p. k. | punto kilométrico
`)

/** Those that a sentence may end with. */
export const CLOSING = spokenForms(`
  etc.,Etc. | etcétera
  L-V | lunes a viernes
  L-S | lunes a sábado
  L-D | lunes a domingo
  L-J | lunes a jueves
  lun. | lunes
  mié. | miércoles
  jue. | jueves
  vie. | viernes
  sáb. | sábado
  Cía. Ltda. | compañía limitada
  aprox.,Aprox. | aproximadamente
  a. C.,a.C.,a. c.,a. de C. | antes de Cristo
  d. C.,d.C.,d. c.,d. de C. | después de Cristo
  EE. UU.,EE.UU.,EE UU,EEUU | Estados Unidos
  FF. AA.,FF.AA. | Fuerzas Armadas
  CC. AA.,CC.AA.,CCAA | comunidades autónomas
  CC. OO.,CC.OO.,CCOO | Comisiones Obreras
  FF. CC.,FF.CC. | ferrocarriles
  RR. HH.,RR.HH.,RRHH | recursos humanos
  RR. PP.,RR.PP.,RRPP | relaciones públicas
  RR. SS.,RR.SS.,RRSS | redes sociales
  JJ. OO.,JJ.OO.,JJOO | Juegos Olímpicos
  SS. MM.,SS.MM. | sus majestades
  S. M. | su majestad
  S. S. | su santidad
  AA. VV.,VV. AA. | varios autores
  Bs. As. | Buenos Aires
  D. F.,D.F. | Distrito Federal
  D. C.,D.C. | Distrito Capital
  máx.,Máx. | máximo
  mín.,Mín. | mínimo
  y Cía.,y cía. | y compañía
  S. A.,S.A. | sociedad anónima
  S. A. U.,S.A.U. | sociedad anónima unipersonal
  S. L.,S.L. | sociedad limitada
  S. L. U.,S.L.U. | sociedad limitada unipersonal
  S. A. de C. V.,S.A. de C.V. | sociedad anónima de capital variable
  S. Coop. | sociedad cooperativa
  izq.,izda.,Izq.,Izda. | izquierda
  dcha.,dcho.,Dcha. | derecha
  c. c.,c.c. | centímetros cúbicos
  q.e.p.d.,Q.E.P.D. | que en paz descanse
  D. E. P.,D.E.P. | descanse en paz
  P. D.,P.D. | posdata
  s. f.,s.f. | sin fecha
  Uds.,Vds.,uds. | ustedes
  Ud.,Vd.,ud. | usted
  ss. | siguientes
  resp. | respectivamente
  neg. | negociable
  R. U.,R.U. | Reino Unido
  U. E.,U.E. | Unión Europea
  p. b.,p.b.,pb | puntos básicos
  p. p.,p.p. | puntos porcentuales
  incl. | incluido
  excl. | excluido
  Jr.,jr. | júnior
  dto. | descuento
  dtos. | descuentos
  V.º B.º | visto bueno
  i. e.,i.e. | es decir
  op. cit. | obra citada
  ibíd.,ibid. | ibídem
`)

/** Only before a number. */
export const BEFORE_NUMBERS = spokenForms(`
  n.º,N.º,nº,Nº,n°,N°,No.,no.,Núm.,núm.,nro.,Nro. | número
  n.os | números
  p.,pág.,Pág. | página
  pp.,págs. | páginas
  cap.,Cap. | capítulo
  art.,Art. | artículo
  arts. | artículos
  fig.,Fig. | figura
  vol.,Vol. | volumen
  t. | tomo
  c. | circa
  ca. | circa
  km.,km,Km | kilómetro
  tel.,Tel. | teléfono
  aprox. | aproximadamente
  C.P.,CP,C. P. | código postal
  lun. | lunes
  mar. | martes
  mié.,miér. | miércoles
  jue. | jueves
  vie.,vier. | viernes
  sáb. | sábado
  dom. | domingo
  min.,Min. | minuto
  apdo. | apartado
  pto. | punto
  ptos. | puntos
  lám. | lámina
  tít. | título
  diap. | diapositiva
  of.,Of. | oficina
  ver.,Ver. | versión
`)

/** Before a family name. */
export const TITLES = spokenForms(`
  D. | don
  M.ª | María
  S. | san
`)

/** Acronyms of two or three letters that are said as words. */
export const ACRONYMS = new Set(
  wordsOf(
    'ONU IVA PIB AVE OEA ETA UCI UVI RAE INE ERE OPA ERTE ESO FAO OPEP OVNI SIDA TAC NIE NIF CIF PIN SIM ISO LED UNED TAE BOE SOS ICO TIN RAM ROM VOX COP PYME',
  ),
)

/** Long acronyms that are spelled. */
export const SPELLED = new Set(wordsOf('RTVE ICEX'))

/** Without their period. */
export const WEEKDAYS = spokenForms(`
  lun | lunes
  mar | martes
  mié,miér | miércoles
  jue | jueves
  vie,vier | viernes
  sáb | sábado
  dom | domingo
`)

/** Forms with a slash. */
export const SLASHED = spokenForms(`
  c/u,C/u | cada uno
  c/s | cantidad suficiente
  s/n,S/N,S/n | sin número
  y/o | y o
  a/c | aire acondicionado
  N/A,n/a | no aplica
  p/p | por persona
  c/c | cuenta corriente
  c/ | con
  s/ | sin
`)

/** Words of chats. */
export const CHAT = spokenForms(`
  q tal | qué tal
  q,k | que
  xq,xk,pq | porque
  x q | por qué
  xa | para
  t | te
  stoy | estoy
  toy | estoy
  kdms | quedamos
  tb,tmb,tbn | también
  tq | te quiero
  tqm | te quiero mucho
  dnd | donde
  cdo | cuando
  msj | mensaje
  msjs | mensajes
  bn | bien
  bss | besos
  xfa,xfi | por favor
  grx | gracias
  mñn | mañana
  finde | fin de semana
  salu2 | saludos
  x favor | por favor
  x fa | por favor
  x la | por la
  x el | por el
  x los | por los
  x las | por las
  x eso | por eso
  x aquí | por aquí
  x aqui | por aquí
  x ahora | por ahora
  x mí | por mí
  x mi | por mi
  x ti | por ti
  x fin | por fin
  x lo | por lo
  x un | por un
  x una | por una
  x persona | por persona
  x noche | por noche
`)
