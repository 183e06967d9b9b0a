import { spokenForms, wordsOf } from '../table.ts'

/** Written forms, singular, plural. */
export const UNITS = `
  mm | millimetro | millimetri
  cm | centimetro | centimetri
  dm | decimetro | decimetri
  m | metro | metri
  km,Km | chilometro | chilometri
  nm | nanometro | nanometri
  µm,μm | micrometro | micrometri
  mi | miglio | miglia
  ft | piede | piedi
  mq | metro quadrato | metri quadrati
  mc | metro cubo | metri cubi
  kmq | chilometro quadrato | chilometri quadrati
  µg,μg,mcg | microgrammo | microgrammi
  mg | milligrammo | milligrammi
  g,gr | grammo | grammi
  hg | etto | etti
  kg,Kg | chilogrammo | chilogrammi
  q | quintale | quintali
  t | tonnellata | tonnellate
  lb | libbra | libbre
  oz | oncia | once
  ml,mL | millilitro | millilitri
  cl | centilitro | centilitri
  dl | decilitro | decilitri
  l,L | litro | litri
  hl | ettolitro | ettolitri
  cc | centimetro cubo | centimetri cubi
  ms | millisecondo | millisecondi
  s,sec | secondo | secondi
  min | minuto | minuti
  h | ora | ore
  d | giorno | giorni
  Hz | hertz | hertz
  kHz | chilohertz | chilohertz
  MHz | megahertz | megahertz
  GHz | gigahertz | gigahertz
  W | watt | watt
  kW | chilowatt | chilowatt
  MW | megawatt | megawatt
  GW | gigawatt | gigawatt
  kWh | chilowattora | chilowattora
  Wh | wattora | wattora
  V | volt | volt
  kV | chilovolt | chilovolt
  A | ampere | ampere
  mA | milliampere | milliampere
  mAh | milliamperora | milliamperora
  Ω | ohm | ohm
  kΩ | chiloohm | chiloohm
  J | joule | joule
  kJ | chilojoule | chilojoule
  cal | caloria | calorie
  kcal | chilocaloria | chilocalorie
  N | newton | newton
  Pa | pascal | pascal
  kPa | chilopascal | chilopascal
  hPa | ettopascal | ettopascal
  MPa | megapascal | megapascal
  bar | bar | bar
  mmHg | millimetro di mercurio | millimetri di mercurio
  CV | cavallo | cavalli
  dB | decibel | decibel
  lm | lumen | lumen
  lx | lux | lux
  mol | mole | moli
  rpm | giro al minuto | giri al minuto
  m2 | metro quadrato | metri quadrati
  m3 | metro cubo | metri cubi
  cm2 | centimetro quadrato | centimetri quadrati
  cm3 | centimetro cubo | centimetri cubi
  km2 | chilometro quadrato | chilometri quadrati
  Nm,N·m | newton metro | newton metro
  Mpx | megapixel | megapixel
  bpm | battito al minuto | battiti al minuto
  lt | litro | litri
  mt | metro | metri
  gg | giorno | giorni
  pz | pezzo | pezzi
  cpr | compressa | compresse
  pt | punto | punti
  cent | centesimo | centesimi
  cucch | cucchiaio | cucchiai
  cucch.no,cucch.ni | cucchiaino | cucchiaini
  bust | bustina | bustine
  conf | confezione | confezioni
  B | byte | byte
  KB,kB | kilobyte | kilobyte
  MB | megabyte | megabyte
  GB | gigabyte | gigabyte
  TB | terabyte | terabyte
  kbps | kilobit al secondo | kilobit al secondo
  Mbps,Mb/s | megabit al secondo | megabit al secondo
  Gbps,Gb/s | gigabit al secondo | gigabit al secondo
  px | pixel | pixel
  mph | miglio orario | miglia orarie
  ab | abitante | abitanti
  ppm | parte per milione | parti per milione
  °C,ºC,℃,° C,º C | grado Celsius | gradi Celsius
  °F | grado Fahrenheit | gradi Fahrenheit
`

/** Written forms, singular, plural, then the hundredth part and its plural. */
export const CURRENCIES = `
  €,EUR,euro | euro | euro | centesimo | centesimi
  $,dollari | dollaro | dollari | centesimo | centesimi
  US$,USD | dollaro statunitense | dollari statunitensi | centesimo | centesimi
  CAD | dollaro canadese | dollari canadesi | centesimo | centesimi
  AUD | dollaro australiano | dollari australiani | centesimo | centesimi
  £,GBP,sterline | sterlina | sterline | penny | pence
  ¥,JPY | yen | yen
  CNY | yuan | yuan
  ₩ | won | won
  ₽,RUB | rublo | rubli | copeco | copechi
  ₹,INR | rupia | rupie
  ₺ | lira turca | lire turche
  ₤ | lira | lire
  ₴ | grivnia | grivnie
  ₿,BTC | bitcoin | bitcoin
  ₪ | siclo | sicli
  ₫ | dong | dong
  ฿ | baht | baht
  ₱ | peso filippino | pesos filippini
  CHF | franco svizzero | franchi svizzeri | centesimo | centesimi
  MXN | peso messicano | pesos messicani
  ARS | peso argentino | pesos argentini
  BRL,R$ | real | reais | centavo | centavos
  SEK | corona svedese | corone svedesi
  NOK | corona norvegese | corone norvegesi
  DKK | corona danese | corone danesi
  CZK | corona ceca | corone ceche
  PLN | zloty | zloty
`

/** Behind a slash. */
export const PER_UNITS = spokenForms(`
  h | ora
  s,sec | secondo
  min | minuto
  giorno,d | giorno
  die | die
  mese | mese
  anno | anno
  kg | chilogrammo
  g | grammo
  l,L | litro
  dl,dL | decilitro
  ml | millilitro
  m | metro
  km | chilometro
  kmq | chilometro quadrato
  cm | centimetro
  kWh | chilowattora
  persona | persona
  notte | notte
  azione | azione
  oz | oncia
  barile | barile
  ha | ettaro
  t | tonnellata
  settimana | settimana
  mq | metro quadrato
  ab | abitante
`)

/** Inside of addresses. */
export const MARKS = spokenForms(`
  . | punto
  / | slash
  : | due punti
  - | trattino
  _ | trattino basso
  @ | chiocciola
  ? | punto interrogativo
  ! | punto esclamativo
  = | uguale
  & | e commerciale
  # | cancelletto
  % | percento
  + | più
  ~ | tilde
  ^ | accento circonflesso
`)

export const SYMBOLS = spokenForms(`
  ² | al quadrato
  ³ | al cubo
  &,∧ | e
  % | percento
  ‰ | per mille
  ‱ | per diecimila
  + | più
  − | meno
  ± | più o meno
  ∓ | meno o più
  ×,∙,⋅ | per
  ÷ | diviso
  = | uguale a
  ≠ | diverso da
  ≈,~ | circa
  ≡ | identico a
  ≅ | congruente a
  < | minore di
  > | maggiore di
  ≤ | minore o uguale a
  ≥ | maggiore o uguale a
  ≪ | molto minore di
  ≫ | molto maggiore di
  √ | radice quadrata di
  ∛ | radice cubica di
  ∞ | infinito
  ∝ | proporzionale a
  ∑ | somma di
  ∏ | prodotto di
  ∫ | integrale di
  ∂ | derivata parziale
  ∆ | delta
  ∇ | nabla
  ∀ | per ogni
  ∃ | esiste
  ∄ | non esiste
  ∈ | appartiene a
  ∉ | non appartiene a
  ∅ | insieme vuoto
  ∩ | intersezione
  ∪ | unione
  ⊂,⊆ | sottoinsieme di
  ⊃,⊇ | contiene
  ∨ | o
  ¬ | non
  ∠ | angolo
  ⊥ | perpendicolare a
  ∥ | parallelo a
  ∴ | quindi
  ∵ | poiché
  ° | gradi
  ′ | minuti
  ″ | secondi
  ^ | alla
  \\ | barra rovesciata
  №,# | numero
  @ | chiocciola
  §,¶ | paragrafo
  †,✗,✘ | croce
  ‡ | doppia croce
  © | copyright
  ℃ | gradi Celsius
  ℉ | gradi Fahrenheit
  ℓ | litri
  Ω | ohm
  ℮ | quantità stimata
  $ | dollari
  € | euro
  £ | sterline
  ¥ | yen
  ¢ | centesimi
  ₩ | won
  ₽ | rubli
  ₹ | rupie
  ₫ | dong
  ฿ | baht
  ₺ | lire turche
  ₴ | grivnie
  ₱ | pesos
  ₪ | sicli
  ₿ | bitcoin
  ₦ | naira
  ₡ | colón
  ₲ | guaraní
  ₵ | cedi
  ₸ | tenge
  ₮ | tugrik
  ₭ | kip
  ₼ | manat
  ₾ | lari
  ₤ | lire
  ₧ | pesetas
  ¤ | valuta
  → | freccia a destra
  ← | freccia a sinistra
  ↑ | freccia in su
  ↓ | freccia in giù
  ↔ | doppia freccia
  ⇒ | implica
  ⇔ | equivale a
  ★,☆ | stella
  ●,○ | cerchio
  ◎ | cerchio doppio
  ■,□ | quadrato
  ▲,△,▶ | triangolo
  ▼,▽ | triangolo capovolto
  ◆,◇ | rombo
  ※ | nota
  ♀ | femmina
  ♂ | maschio
  ♠ | picche
  ♥ | cuori
  ♦ | quadri
  ♣ | fiori
  ♪ | nota musicale
  ♫ | note musicali
  ♭ | bemolle
  ♯ | diesis
  ☎ | telefono
  ✓,✔ | spunta
`)

/** From alpha to omega. */
export const GREEK_LETTERS = wordsOf(
  'alfa beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau ipsilon fi chi psi omega',
)

/** With their period, wherever they stand. */
export const ABBREVIATIONS = spokenForms(`
  Card. | cardinal
  Rev. | reverendo
  Gent. | gentile
  Sig.,sig. | signor
  pag. | pagina
  pagg. | pagine
  int. | interno
  n°,N° | numero
  Sig.ra,sig.ra | signora
  prof.ssa | professoressa
  Sig.na | signorina
  Sigg. | signori
  Dott.,dott. | dottor
  Dott.ssa,dott.ssa | dottoressa
  Dr. | dottor
  Prof.,prof. | professor
  Prof.ssa,prof.ssa | professoressa
  Proff. | professori
  Ing.,ing. | ingegner
  Avv.,avv. | avvocato
  Arch.,arch. | architetto
  Geom.,geom. | geometra
  Rag. | ragionier
  On.,on. | onorevole
  Sen. | senatore
  Gen. | generale
  Col. | colonnello
  Cap. | capitano
  Mons. | monsignor
  Egr. | egregio
  Gent.mo | gentilissimo
  Gent.ma | gentilissima
  Spett.le | spettabile
  p. es.,p.es.,ad es. | per esempio
  es. | esempio
  P.za,P.zza,p.za,p.zza | piazza
  V.le,v.le | viale
  C.so,c.so | corso
  F.lli,f.lli | fratelli
  tel.,Tel. | telefono
  cell.,Cell. | cellulare
  vs. | contro
  rif. | riferimento
  all. | allegato
  Dip. | dipartimento
  sec. | secolo
  secc. | secoli
  ed. | edizione
  cfr. | confronta
  kg/m² | chilogrammi per metro quadrato
  Min. | ministro
  Pres. | presidente
  Ten. | tenente
  Magg. | maggiore
  Mar. | maresciallo
  Cav.,cav. | cavaliere
  Comm. | commendatore
  Dir. | direttore
  Resp. | responsabile
  Amm. | amministratore
  Sig.na,sig.na | signorina
  Sigg.ri | signori
  Prof.ssa | professoressa
  D.ssa,d.ssa | dottoressa
  Avv.ti,avv.ti | avvocati
  Ill.mo | illustrissimo
  Ill.ma | illustrissima
  Egr.,egr. | egregio
  Gent.mi | gentilissimi
  Spett. | spettabile
  on.le,On.le | onorevole
  Em. | eminenza
  p.c. | per conoscenza
  L.go,l.go | largo
  Loc.,loc. | località
  Fraz.,fraz. | frazione
  Str.,str. | strada
  Vic.,vic. | vicolo
  Prov.,prov. | provincia
  sc. | scala
  int.,Int. | interno
  N. verde,n. verde | numero verde
  Vel.,vel. | velocità
  temp.,Temp. | temperatura
  tab.,Tab. | tabella
  tav.,Tav. | tavola
  diap. | diapositiva
  prot.,Prot. | protocollo
  lett. | lettera
  civ. | civile
  pen. | penale
  pers. | persone
  Cost. | Costituzione
  Cass. | Cassazione
  Trib. | tribunale
  sup. | superiore
  inf. | inferiore
  sem.,Sem. | semestre
  trim.,Trim. | trimestre
  bust. | bustina
  cucch.no | cucchiaino
  cucch.ni | cucchiaini
  cad. | cadauno
  conf. | confezione
  rep. | reparto
  Univ. | università
  Fac. | facoltà
  Ist. | istituto
  v. nota | vedi nota
  et al. | e altri
  p. terra | piano terra
  risc. | riscaldamento
  n. d'ordine | numero d'ordine
  v. pag. | vedi pagina
  v. art. | vedi articolo
  gg. | giorni
`)

/** Those that a sentence may end with. */
export const CLOSING = spokenForms(`
  ecc.,etc.,Ecc. | eccetera
  lun. | lunedì
  gio. | giovedì
  ven. | venerdì
  sab. | sabato
  ca. | circa
  a.C.,a. C. | avanti Cristo
  d.C.,d. C. | dopo Cristo
  max.,max,Max.,máx. | massimo
  min. | minimo
  S.p.A.,S.P.A.,SpA,S. p. A. | società per azioni
  S.r.l.,S.R.L.,Srl,s.r.l. | società a responsabilità limitata
  S.n.c.,Snc,s.n.c. | società in nome collettivo
  S.a.s.,Sas,s.a.s. | società in accomandita semplice
  Soc. Coop.,soc. coop. | società cooperativa
  c.a. | corrente anno
  u.s. | ultimo scorso
  p.v. | prossimo venturo
  c.m. | corrente mese
  N.B.,NB | nota bene
  P.S. | post scriptum
  S.S. | Sua Santità
  q.b.,Q.b. | quanto basta
  s.l.m. | sul livello del mare
  IVA incl. | IVA inclusa
  IVA escl. | IVA esclusa
  incl. | incluso
  escl. | escluso
  sgg.,segg. | seguenti
  risp. | rispettivamente
  tratt. | trattabili
  aut. | autonomo
  U.E. | Unione Europea
  R.U. | Regno Unito
  G.U. | Gazzetta Ufficiale
  a.d.,A.D. | amministratore delegato
  op. cit. | opera citata
  p.b.,p. b. | punti base
  p.p. | punti percentuali
  C.F.,c.f. | codice fiscale
  jr.,Jr. | junior
  c.p.c. | codice di procedura civile
  c.p.p. | codice di procedura penale
  c.p. | codice penale
  c.c. | codice civile
  T.U. | testo unico
  D.Lgs.,d.lgs.,D. Lgs. | decreto legislativo
  D.L.,d.l. | decreto legge
  D.M.,d.m. | decreto ministeriale
  D.P.R.,d.P.R.,DPR | decreto del presidente della Repubblica
  D.P.C.M.,DPCM | decreto del presidente del Consiglio
  tot. | totale
`)

/** Only before a number. */
export const BEFORE_NUMBERS = spokenForms(`
  n.,N.,nº,n°,N°,n.ro,num. | numero
  p.,pag.,Pag. | pagina
  pp.,pagg. | pagine
  cap.,Cap. | capitolo
  art.,Art. | articolo
  artt. | articoli
  fig.,Fig. | figura
  vol.,Vol. | volume
  tel.,Tel. | telefono
  ca.,c. | circa
  km,Km | chilometro
  lun. | lunedì
  mar. | martedì
  mer. | mercoledì
  gio. | giovedì
  ven. | venerdì
  sab. | sabato
  dom. | domenica
  L. | legge
  h,h. | ore
  t. | tomo
  diap. | diapositiva
  sez. | sezione
  ver.,Ver. | versione
  gg. | giorni
`)

/** Before a name. */
export const TITLES = spokenForms(`
  gen. | generale
  col. | colonnello
  cap. | capitano
  ten. | tenente
  sen. | senatore
  pres. | presidente
  mons. | monsignor
  magg. | maggiore
  S. | San
`)

/** Acronyms of two or three letters that are said as words. */
export const ACRONYMS = new Set(
  wordsOf(
    'ONU IVA PIL ASL CAP PIN SIM ISO LED RAI IMU TAR TAC BOT CIG DOP DOC ENI UIL CIA UFO TIM GIP PEC RAM ROM USA COP TAN',
  ),
)

/** Long acronyms that are spelled. */
export const SPELLED = new Set(wordsOf('FIGC CCNL MIUR IRCCS'))

/** Without their period. */
export const WEEKDAYS = spokenForms(`
  lun | lunedì
  mar | martedì
  mer | mercoledì
  gio | giovedì
  ven | venerdì
  sab | sabato
  dom | domenica
`)

/** Forms with a slash. */
export const SLASHED = spokenForms(`
  c/o | presso
  e/o | e o
  s/n | senza numero
  n/d,N/D | non disponibile
  c/c | conto corrente
`)

/** Words of chats. */
export const CHAT = spokenForms(`
  cmq | comunque
  t | ti
  kiamo | chiamo
  nn | non
  ke | che
  ki | chi
  xke,xké,xkè,xché,xchè,xche,perke | perché
  qnd | quando
  qlc | qualche
  qlcs | qualcosa
  qlcn | qualcuno
  tvb | ti voglio bene
  grz | grazie
  msg | messaggio
  dmn | domani
  tt | tutto
  sn | sono
  dp | dopo
  x favore | per favore
  x il | per il
  x la | per la
  x lo | per lo
  x i | per i
  x gli | per gli
  x le | per le
  x un | per un
  x una | per una
  x me | per me
  x te | per te
  x noi | per noi
  x voi | per voi
  x caso | per caso
  x fortuna | per fortuna
  x ora | per ora
  x oggi | per oggi
  x domani | per domani
`)
