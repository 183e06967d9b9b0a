import type { Counted, Currency, Gender } from '../european/words.ts'
import { formsOf, rowsOf, spokenForms, wordsOf } from '../table.ts'

const GENDERS: Readonly<Record<string, Gender>> = { m: 'masculine', f: 'feminine', n: 'neuter' }
const counted = ([gender = 'm', one = '', other = one]: string[]): Counted => ({
  gender: GENDERS[gender] as Gender,
  forms: { one, other },
})

export const MONTHS = wordsOf('Januar Februar März April Mai Juni Juli August September Oktober November Dezember')
export const MONTH_FORMS = rowsOf(`
  Januar | Jänner | Jan
  Februar | Feb | Febr
  März | Mär | Mrz
  April | Apr
  Mai
  Juni | Jun
  Juli | Jul
  August | Aug
  September | Sept | Sep
  Oktober | Okt
  November | Nov
  Dezember | Dez
`)

/** Fractions that are not the ordinal number and "l". */
export const FRACTIONS: Readonly<Record<number, string>> = { 2: 'halb', 3: 'drittel', 7: 'siebtel' }

export const MAGNITUDES = [
  { pattern: 'Tsd', word: counted(['n', 'Tausend']) },
  { pattern: 'Mio|[Mm]illion(?:en)?', word: counted(['f', 'Million', 'Millionen']) },
  { pattern: 'Mrd|[Mm]illiarden?', word: counted(['f', 'Milliarde', 'Milliarden']) },
  { pattern: 'Bio|[Bb]illion(?:en)?', word: counted(['f', 'Billion', 'Billionen']) },
]

export const CURRENCIES = formsOf(
  `
  €,EUR,Euro | m | Euro | Euro | m | Cent
  $,Dollar | m | Dollar | Dollar | m | Cent
  US$,USD,US-Dollar | m | US-Dollar | US-Dollar | m | Cent
  £,GBP | n | Pfund | Pfund | m | Penny | Pence
  ¥,JPY | m | Yen
  CHF,SFr. | m | Schweizer Franken | Schweizer Franken | m | Rappen
  Fr.,Franken | m | Franken | Franken | m | Rappen
  ₽ | m | Rubel | Rubel | f | Kopeke | Kopeken
  ₩ | m | Won
  ₹ | f | Rupie | Rupien
  ₺ | f | Lira
  zł | m | Zloty
  kr | f | Krone | Kronen
  Ct,ct,Cent | m | Cent
  DM | f | D-Mark
  ₿,BTC | m | Bitcoin | Bitcoins
`,
  ([gender, one, many, partGender, part, parts]): Currency => ({
    ...counted([gender ?? 'm', one ?? '', many ?? one ?? '']),
    ...(partGender !== undefined && part !== undefined && { part: counted([partGender, part, parts ?? part]) }),
  }),
)

export const UNITS = formsOf(
  `
  % | n | Prozent
  ‰ | n | Promille
  mm | m | Millimeter
  cm | m | Zentimeter
  dm | m | Dezimeter
  m | m | Meter
  km | m | Kilometer
  nm | m | Nanometer
  µm,μm | m | Mikrometer
  ft | m | Fuß
  qm | m | Quadrat Meter
  ha | m | Hektar
  mg | n | Milligramm
  g | n | Gramm
  kg | n | Kilogramm
  µg | n | Mikrogramm
  t | f | Tonne | Tonnen
  Pfd. | n | Pfund
  ml | m | Milliliter
  cl | m | Zentiliter
  dl | m | Deziliter
  l,L | m | Liter
  hl | m | Hektoliter
  EL | m | Esslöffel
  TL | m | Teelöffel
  Msp. | f | Messerspitze | Messerspitzen
  S. | f | Seite | Seiten
  Pers. | f | Person | Personen
  Pck.,Pkg. | f | Packung | Packungen
  St.,Stk. | n | Stück
  ms | f | Millisekunde | Millisekunden
  s,Sek | f | Sekunde | Sekunden
  min,Min | f | Minute | Minuten
  h,Std | f | Stunde | Stunden
  d | m | Tag | Tage
  Hz | n | Hertz
  kHz | n | Kilohertz
  MHz | n | Megahertz
  GHz | n | Gigahertz
  W | n | Watt
  kW | n | Kilowatt
  MW | n | Megawatt
  GW | n | Gigawatt
  Wh | f | Wattstunde | Wattstunden
  kWh,kwh | f | Kilowattstunde | Kilowattstunden
  MWh | f | Megawattstunde | Megawattstunden
  GWh | f | Gigawattstunde | Gigawattstunden
  TWh | f | Terawattstunde | Terawattstunden
  V | n | Volt
  mV,mv | n | Millivolt
  kV | n | Kilovolt
  A | n | Ampere
  mA | n | Milliampere
  mAh | f | Milliamperestunde | Milliamperestunden
  Ω | n | Ohm
  J | n | Joule
  kJ | n | Kilojoule
  kcal | f | Kilokalorie | Kilokalorien
  Pa | n | Pascal
  hPa | n | Hektopascal
  N | n | Newton
  kN | n | Kilonewton
  Nm | n | Newtonmeter
  lm | n | Lumen
  lx | n | Lux
  cd | f | Candela
  K | n | Kelvin
  mol | n | Mol
  bar | n | Bar
  PS | f | P S
  dB | n | Dezibel
  kB,KB | n | Kilobyte
  MB | n | Megabyte
  GB | n | Gigabyte
  TB | n | Terabyte
  kbit/s | n | Kilobit pro Sekunde
  Mbit/s,MBit/s | n | Megabit pro Sekunde
  Gbit/s,GBit/s | n | Gigabit pro Sekunde
  °C,° C,℃ | m | Grad Celsius
  °F | m | Grad Fahrenheit
  ° | m | Grad
  ″ | m | Zoll
  ppm | n | p p m
  l/100 km,l/100km,L/100 km | m | Liter auf ein hundert Kilometer
  kWh/100 km,kWh/100km | f | Kilowattstunde auf ein hundert Kilometer | Kilowattstunden auf ein hundert Kilometer
  Pp. | m | Prozentpunkt | Prozentpunkte
  U/min | f | Umdrehung pro Minute | Umdrehungen pro Minute
  J. | n | Jahr | Jahre
  Mon. | m | Monat | Monate
`,
  counted,
)

export const PER_UNITS = spokenForms(`
  h,Std. | Stunde
  s | Sekunde
  min,Min. | Minute
  d,Tag | Tag
  Woche | Woche
  Monat | Monat
  Jahr,a | Jahr
  Nacht | Nacht
  Person,Pers. | Person
  Stück,Stk. | Stück
  kg | Kilogramm
  g | Gramm
  l,L | Liter
  ml | Milliliter
  m | Meter
  km | Kilometer
  cm | Zentimeter
  qm | Quadrat Meter
  kWh | Kilowattstunde
`)

export const MARKS = spokenForms(`
  . | Punkt
  / | Slash
  : | Doppelpunkt
  - | Bindestrich
  _ | Unterstrich
  @ | at
  ? | Fragezeichen
  = | Gleichheitszeichen
  & | und
  # | Hashtag
  % | Prozent
  + | plus
  ~ | Tilde
`)

export const SAID_AS_WORDS: ReadonlySet<string> = new Set(wordsOf('com net org info web mail app dev shop blog'))

export const ACRONYMS: ReadonlySet<string> = new Set(
  wordsOf('NATO UNO TÜV BAföG SIM PIN TAN RAM ROM AIDS FIFA UEFA UND DER DIE DAS IST EIN NEU OK NUR AN IN ZU'),
)

export const SYMBOLS = spokenForms(`
  & | und
  % | Prozent
  ‰ | Promille
  §§ | Paragraphen
  § | Paragraph
  + | plus
  = | gleich
  ≤ | kleiner gleich
  ≥ | größer gleich
  ≠ | ungleich
  ≈ | ungefähr
  ± | plus minus
  × | mal
  · | mal
  ÷ | geteilt durch
  √ | Wurzel aus
  ∞ | unendlich
  ° | Grad
  © | Copyright
  → | nach
  € | Euro
  $ | Dollar
  £ | Pfund
  ¥ | Yen
  < | kleiner als
  > | größer als
  @ | at
  # | Nummer
  ^ | hoch
  † | gestorben
  ² | Quadrat
  ~ | circa
`)

export const DAYS = spokenForms(`
  Mo | Montag
  Di | Dienstag
  Mi | Mittwoch
  Do | Donnerstag
  Fr | Freitag
  Sa | Samstag
  So | Sonntag
`)

export const ABBREVIATIONS = spokenForms(`
  Dr. rer. nat. | Doktor rerum naturalium
  Dr. rer. pol. | Doktor rerum politicarum
  Dr. phil. | Doktor philosophiae
  Dr. iur. | Doktor iuris
  Dr. med. dent. | Doktor medicinae dentariae
  Dr. med. vet. | Doktor medicinae veterinariae
  Dr. theol. | Doktor theologiae
  Dr.-Ing. | Doktoringenieur
  Dipl.-Kfm. | Diplomkaufmann
  Dipl.-Kffr. | Diplomkauffrau
  Dipl.-Psych. | Diplompsychologe
  Anm. d. Red. | Anmerkung der Redaktion
  o. ä.,o.ä. | oder Ähnliches
  Jan. bis | Januar bis
  Feb. bis | Februar bis
  Frl. | Fräulein
  Gebr. | Gebrüder
  Kfz. | Kraftfahrzeug
  dt. | deutsche
  engl. | englische
  frz.,franz. | französische
  ital. | italienische
  span. | spanische
  griech. | griechische
  lat. | lateinische
  russ. | russische
  poln. | polnische
  türk. | türkische
  jap. | japanische
  chin. | chinesische
  amerik. | amerikanische
  österr. | österreichische
  schweiz. | schweizerische
  europ. | europäische
  südl. | südliche
  nördl. | nördliche
  östl. | östliche
  westl. | westliche
  gesetzl. | gesetzliche
  öffentl. | öffentliche
  kath. | katholische
  evang. | evangelische
  z. B.,z.B. | zum Beispiel
  u. v. m.,u.v.m. | und vieles mehr
  u. v. a.,u.v.a. | und viele andere
  o. g.,o.g. | oben genannt
  s. a.,s.a. | siehe auch
  p. a.,p.a. | pro Jahr
  i. V.,i.V. | in Vertretung
  i. H. v.,i.H.v. | in Höhe von
  i. S. d.,i.S.d. | im Sinne des
  i. d. F.,i.d.F. | in der Fassung
  z. H.,z.H.,z. Hd.,z.Hd. | zu Händen
  n. V.,n.V. | nach Verlängerung
  n. E.,n.E.,i. E.,i.E. | nach Elfmeterschießen
  h. c. mult. | honoris causa multiplex
  h. c. | honoris causa
  p. P.,p.P. | pro Person
  Dr. med. | Doktor med
  Dr. jur. | Doktor jur
  d. h.,d.h. | das heißt
  u. a.,u.a. | unter anderem
  u. U.,u.U. | unter Umständen
  i. d. R.,i.d.R. | in der Regel
  o. Ä.,o.Ä. | oder Ähnliches
  u. Ä.,u.Ä. | und Ähnliches
  s. o.,s.o. | siehe oben
  s. u.,s.u. | siehe unten
  v. a.,v.a. | vor allem
  z. T.,z.T. | zum Teil
  z. Z.,z.Z.,z. Zt. | zurzeit
  m. E.,m.E. | meines Erachtens
  v. Chr.,v.Chr. | vor Christus
  n. Chr.,n.Chr. | nach Christus
  a. D.,a.D. | außer Dienst
  e. V.,e.V. | eingetragener Verein
  i. A.,i.A. | im Auftrag
  usw. | und so weiter
  ff. | folgende
  erm. | ermäßigt
  Dt. | Deutscher
  OG | Obergeschoss
  EG | Erdgeschoss
  DG | Dachgeschoss
  UG | Untergeschoss
  Whg. | Wohnung
  gegr. | gegründet
  Co. | Co
  Nr. | Nummer
  NK | Nebenkosten
  Pers. | Personen
  rd. | rund
  bzgl. | bezüglich
  lt. | laut
  gem. | gemäß
  einschl. | einschließlich
  insb.,insbes. | insbesondere
  ehem. | ehemalig
  eigtl. | eigentlich
  vllt.,vllt,vlt | vielleicht
  zzt. | zurzeit
  tägl. | täglich
  mtl. | monatlich
  jährl. | jährlich
  wöchentl. | wöchentlich
  vorm. | vormittags
  nachm. | nachmittags
  entspr. | entsprechend
  ggü. | gegenüber
  zus. | zusammen
  Bsp. | Beispiel
  Az. | Aktenzeichen
  Abt. | Abteilung
  Bhf.,Bhf | Bahnhof
  Hbf.,Hbf | Hauptbahnhof
  Flgh. | Flughafen
  Fam. | Familie
  Bez. | Bezirk
  Kto. | Konto
  Kto.-Nr. | Kontonummer
  Art.-Nr. | Artikelnummer
  Best.-Nr. | Bestellnummer
  Kd.-Nr. | Kundennummer
  Tel.-Nr. | Telefonnummer
  Hausnr. | Hausnummer
  Jg. | Jahrgang
  Ausg. | Ausgabe
  Ew.,Einw. | Einwohner
  MfG,mfG,mfg | mit freundlichen Grüßen
  hdl | hab dich lieb
  hdgdl | hab dich ganz doll lieb
  à | a
  c/o | bei
  usf. | und so fort
  bzw. | beziehungsweise
  ca. | circa
  evtl. | eventuell
  ggf. | gegebenenfalls
  inkl. | inklusive
  exkl. | exklusive
  zzgl. | zuzüglich
  abzgl. | abzüglich
  max. | maximal
  min. | minimal
  mind. | mindestens
  etc. | et cetera
  vgl. | vergleiche
  bspw. | beispielsweise
  sog. | sogenannt
  allg. | allgemein
  vs. | versus
  geb. | geboren
  gest. | gestorben
  verh. | verheiratet
  Dr. | Doktor
  Prof. | Professor
  Hr. | Herr
  Fa. | Firma
  Mag. | Magister
  Sen. | Senator
  Gov. | Gouverneur
  Gen. | General
  Capt. | Captain
  Col. | Colonel
  Sgt. | Sergeant
  Hptm. | Hauptmann
  Oblt. | Oberleutnant
  Bf. | Bahnhof
  Bgm. | Bürgermeister
  Abg. | Abgeordnete
  Kap. | Kapitel
  Mt. | Mount
  Ft. | Fort
  Hrn. | Herrn
  Fr. | Frau
  Mr. | Mister
  Mrs. | Misses
  Ms. | Miss
  St. | Sankt
  Dipl.-Ing. | Diplomingenieur
  Ing. | Ingenieur
  Tel. | Telefon
  Str. | Straße
  Pl. | Platz
  Jh. | Jahrhundert
  Jhd. | Jahrhundert
  Std. | Stunden
  Min. | Minuten
  Sek. | Sekunden
  Mio. | Millionen
  Mrd. | Milliarden
  MwSt. | Mehrwertsteuer
  GmbH | G m b H
  Abb. | Abbildung
  Anm. | Anmerkung
  Hrsg. | Herausgeber
  Aufl. | Auflage
  Bd. | Band
  Mo. | Montag
  Di. | Dienstag
  Mi. | Mittwoch
  Do. | Donnerstag
  Sa. | Samstag
  So. | Sonntag
`)

export const BEFORE_NUMBERS = spokenForms(`
  Nr. | Nummer
  Pos. | Position
  km | Kilometer
  Kap. | Kapitel
  Abschn. | Abschnitt
  Jg. | Jahrgang
  Rn.,Rz. | Randnummer
  Az. | Aktenzeichen
  Hausnr. | Hausnummer
  Bl. | Blatt
  S. | Seite
  Art. | Artikel
  Abs. | Absatz
  Abb. | Abbildung
  Bd. | Band
  Tab. | Tabelle
  Ziff. | Ziffer
  Pkt. | Punkt
  Zi. | Zimmer
  Tel. | Telefon
  vgl. | vergleiche
  ca. | circa
`)

export const ROMAN_BEFORE =
  'Kapitel|Teil|Band|Akt|Szene|Buch|Artikel|Anhang|Phase|Stufe|Klasse|Typ|Weltkrieg|Hartz|Rocky'
export const RULERS =
  'Heinrich|Ludwig|Karl|Friedrich Wilhelm|Friedrich|Wilhelm|Otto|Elisabeth|Johannes Paul|Benedikt|Pius|Papst \\p{Lu}\\p{Ll}+|König \\p{Lu}\\p{Ll}+|Königin \\p{Lu}\\p{Ll}+|Kaiser \\p{Lu}\\p{Ll}+|Katharina|Georg|Leopold|Franz|Maximilian|Napoleon|Ramses|Philipp|Richard|Eduard|Jakob|Gustav|Christian|Peter|Paul|Alexander|Nikolaus|Gregor|Innozenz|Charles|Margrethe'

/** No ordinal number stands before these words at the start of a sentence: "Es waren 5. Dann kam er." */
export const SENTENCE_STARTS = wordsOf(`
  Der Die Das Er Sie Es Wir Ich Ihr Du Man In Im Am An Auf Dann Und Aber Danach Später Dort Hier Doch Auch So Nach Vor Bei Mit Seit Wenn Als Ein
  Eine Einen Für Zu Zum Zur Von Heute Gestern Morgen Jetzt Diese Dieser Dieses Alle Was Wer Wie Wo Warum Ob Wegen Während Trotz Nun Nur Noch Sein
  Seine Ihre Bitte Damit Dabei Daher Deshalb Außerdem Allerdings Jedoch Dazu Davon Weil Da Mehr Viele Insgesamt Ab Bis Aus Über Unter Um
`)

/** Endings of feminine and neuter nouns, and nouns that have none of them. */
export const FEMININE =
  /^(?!Jahrhundert|Viertel|Stelle?$)(?:\p{Lu}\p{L}*(?:ung|heit|keit|schaft|tion|sion|tät|ik|ur|ei|ie|enz|anz|ade|age|liga|e)|\p{Lu}?\p{L}*(?:[Ss]tadt|[Zz]eit|[Nn]acht|[Ff]ahrt|[Kk]raft|[Ss]icht|[Ww]ahl|[Zz]ahl|[Aa]rbeit|[Nn]achricht|[Hh]and|[Ww]and|[Bb]ank|[Tt]ür|[Uu]hr|[Ww]urst|[Aa]ntwort|[Ss]chicht|[Kk]artoffel|[Zz]wiebel|[Rr]egel|[Ii]nsel|[Nn]ummer|[Ff]irma|[Kk]amera|[Pp]izza)|Etage|Klasse|Liga|Stunde|Minute|Person|Frau|Mutter|Tochter|Schwester|Nacht|Stadt|Hand|Zeit|Fahrt|Woche|Mal(?!\p{L}))(?!\p{L})/u
export const NEUTER =
  /^(?:OG|UG|Jahr|Quartal|Kapitel|Jahrhundert|Jahrtausend|Jahrzehnt|Semester|Halbjahr|Tor|Mal|Buch|Viertel|Drittel|Kind|Haus|Spiel|Bild|Ziel|Album|Prozent|Ende|Auge|Zimmer|Bett|Semester|Treffen|Opfer|Messer|Wasser|Fenster|Ei|Brot|Bier|Glas|Stück|Blatt|Paar|Pfund|Kilo|Kilogramm|Gramm|Volk|Land|Dorf|Mitglied|Auto|Rad|Pferd|Tier|Hotel|Konto|Paket|Foto|Video|Ticket|\p{Lu}\p{L}{2,}(?:chen|lein|ment|um|haus|kind|jahr|spiel))(?:e?s)?(?!\p{L})/u
export const MASCULINE =
  /^(?:\p{Lu}\p{L}*(?:tag|monat|punkt|platz|teil|schritt|löffel|becher|apfel|liter|meter|ling|ismus|ist|eur|mann|sohn|bruder|fall|weg|gang|zug|preis|raum|stern|beutel|kopf|grad|satz|strich|finger|zentner)|Tag|Monat|Euro|Cent|Dollar|Franken|Mann|Punkt|Platz|Teil|Schritt|Sohn|Bruder|Freund|Apfel|Löffel|Becher|Liter|Meter|Kopf|Würfel|Spieler|Fahrer|Schüler|Lehrer|Gast|Hund|Satz|Fall|Weg|Gang|Zug|Preis|Raum|Stern|Beutel|Toter|Tote|Bund|Stich|Schuss|Stock|Prozentpunkt|Sitz|Abend|Morgen|Kaffee|Tee|Wein|Grad|Zoll|Fuß|Zentner|Versuch|Treffer|Sieg|Titel|Film|Song|Anruf|Brief|Koffer)(?!\p{L})/u

/** Said so only at the end of a message: "LG" is a firm as well. */
export const GREETINGS = spokenForms(`
  LG | liebe Grüße
  VG | viele Grüße
  BG | beste Grüße
  GLG | ganz liebe Grüße
`)

/** Before the number of a section or a version, "3.2". */
export const SECTION_BEFORE =
  'Kap\\.|Kapitel|Abb\\.|Abbildung|Tab\\.|Tabelle|Abschn\\.|Abschnitt|Version|Ziffer|Ziff\\.|Punkt|Gleichung|Gl\\.|Übung|Aufgabe|Anhang|Teil|Android|iOS|Python|Bild'
