import { formsOf, spokenForms, wordsOf } from '../table.ts'

/** Before a name, with a period or without. */
export const TITLES = spokenForms(`
  Mr | Mister
  Mrs | Missus
  Ms | Miz
  Messrs | Messieurs
  Dr | Doctor
  Drs | Doctors
  Prof | Professor
  St | Saint
  Sts | Saints
  Sgt | Sergeant
  Capt | Captain
  Lt | Lieutenant
  Mt | Mount
  Ft | Fort
`)

/** Before a name, with their period only. */
export const DOTTED_TITLES = spokenForms(`
  Rev | Reverend
  Hon | Honorable
  Rt | Right
  Gen | General
  Col | Colonel
  Maj | Major
  Cpl | Corporal
  Pvt | Private
  Cmdr,Cdr | Commander
  Adm | Admiral
  Gov | Governor
  Sen | Senator
  Rep | Representative
  Pres | President
  Supt | Superintendent
  Insp | Inspector
  Sr | Sister
  Fr | Father
  Br | Brother
  Ste | Sainte
  Brig | Brigadier
  Atty | Attorney
`)

/** With their period, wherever they stand. */
export const ABBREVIATIONS = spokenForms(`
  vs. | versus
  etc. | et cetera
  e.g.,e. g. | for example
  E.g. | For example
  i.e.,i. e. | that is
  I.e. | That is
  a.m.,A.M. | A M
  p.m.,P.M. | P M
  N/A | N A
  approx. | approximately
  dept. | department
  Dept. | Department
  est. | established
  Est. | Established
  Esq. | Esquire
  Assn. | Association
  Univ. | University
  Inst. | Institute
  Intl. | International
  govt. | government
  Govt. | Government
  hr. | hour
  hrs. | hours
  min.,mins. | minutes
  sec.,secs. | seconds
  yr. | year
  yrs. | years
  mo. | month
  mos. | months
  wk. | week
  wks. | weeks
  misc. | miscellaneous
  cf. | compare
  viz. | namely
  et al. | et al
  feat. | featuring
  incl. | including
  excl. | excluding
  resp. | respectively
  temp. | temperature
  tel. | telephone
  Tel. | Telephone
  ext. | extension
  Ext. | Extension
  attn. | attention
  Attn. | Attention
  tbsp.,Tbsp. | tablespoons
  tsp.,Tsp. | teaspoons
  oz. | ounces
  lb.,lbs. | pounds
  pkg. | package
  ft. | feet
  vol. | volume
  Vol. | Volume
  ed. | edition
  eds. | editors
  a.k.a. | also known as
  p.a. | per annum
  B.Sc. | B S C
  M.Sc. | M S C
  WWI | World War one
  WWII | World War two
  WW1 | World War one
  WW2 | World War two
  p.s.,P.S. | P S
  Lt. | Lieutenant
  Sgt. | Sergeant
  Capt. | Captain
  Col. | Colonel
  Gov. | Governor
  Prof. | Professor
  asst. | assistant
  Asst. | Assistant
  mgr. | manager
  Mgr. | Manager
`)

/** More of the sentence always follows them. */
export const NEVER_LAST = new Set(
  wordsOf('vs. feat. e.g. i.e. approx. cf. viz. incl. excl. Lt. Sgt. Capt. Col. Gov. Prof.'),
)

/** Said so only behind a number or a name. */
export const ABBREVIATIONS_BEHIND = new Set(wordsOf('min. sec. ft. ed. est. mo. oz. lb. vol. temp. ext. Vol. Est.'))

/** Behind a name: the period belongs to them also before a name. */
export const COMPANY_ENDS = spokenForms(`
  Inc. | Incorporated
  Ltd. | Limited
  Corp. | Corporation
  Co. | Company
  Bros. | Brothers
  Jr. | Junior
  Sr. | Senior
`)

/** Before a number or a Roman numeral: "No. 5", "pp. 3-7". */
export const BEFORE_NUMBERS = spokenForms(`
  No.,Nr. | Number
  no. | number
  Nos. | Numbers
  nos. | numbers
  p.,pg. | page
  pp.,pgs. | pages
  P. | Page
  Pp. | Pages
  ch.,chap. | chapter
  Ch.,Chap. | Chapter
  sec.,sect. | section
  Sec.,Sect. | Section
  fig. | figure
  figs. | figures
  Fig. | Figure
  Figs. | Figures
  eq. | equation
  Eq. | Equation
  art. | article
  Art. | Article
  vol. | volume
  vols. | volumes
  Vol. | Volume
  Vols. | Volumes
  apt. | apartment
  Apt. | Apartment
  Rm. | Room
  Ste. | Suite
  op. | opus
  Op. | Opus
  Rt.,Rte. | Route
  Hwy.,Hwy | Highway
  pt. | part
  Pt. | Part
  par.,para. | paragraph
  v.,ver. | version
  Mk,Mk. | Mark
  c.,ca. | circa
  est.,estd. | established
  Est. | Established
  b. | born
  d. | died
  r. | reigned
  fl. | flourished
  ext. | extension
  l. | line
  ll. | lines
  approx. | approximately
  max. | maximum
  min. | minimum
`)

/** After a street's name. */
export const STREETS = spokenForms(`
  st | Street
  ave | Avenue
  blvd | Boulevard
  rd | Road
  dr | Drive
  ln | Lane
  ct | Court
  pl | Place
  sq | Square
  hwy | Highway
  pkwy | Parkway
  expy,expwy | Expressway
  fwy | Freeway
  ter,terr | Terrace
  cir | Circle
  aly | Alley
  trl | Trail
`)

export const DIRECTIONS = spokenForms(`
  N | North
  S | South
  E | East
  W | West
  NE | Northeast
  NW | Northwest
  SE | Southeast
  SW | Southwest
`)

/** As addresses in the United States write them. */
export const STATES = spokenForms(`
  AL | Alabama
  AK | Alaska
  AZ | Arizona
  AR | Arkansas
  CA | California
  CO | Colorado
  CT | Connecticut
  DE | Delaware
  FL | Florida
  GA | Georgia
  HI | Hawaii
  ID | Idaho
  IL | Illinois
  IN | Indiana
  IA | Iowa
  KS | Kansas
  KY | Kentucky
  LA | Louisiana
  ME | Maine
  MD | Maryland
  MA | Massachusetts
  MI | Michigan
  MN | Minnesota
  MS | Mississippi
  MO | Missouri
  MT | Montana
  NE | Nebraska
  NV | Nevada
  NH | New Hampshire
  NJ | New Jersey
  NM | New Mexico
  NY | New York
  NC | North Carolina
  ND | North Dakota
  OH | Ohio
  OK | Oklahoma
  OR | Oregon
  PA | Pennsylvania
  RI | Rhode Island
  SC | South Carolina
  SD | South Dakota
  TN | Tennessee
  TX | Texas
  UT | Utah
  VT | Vermont
  VA | Virginia
  WA | Washington
  WV | West Virginia
  WI | Wisconsin
  WY | Wyoming
  DC | D C
`)

/** Before the number of a chapter and that of a verse. */
export const SCRIPTURES = wordsOf(`
  verses? [Cc]hapter Gen(?:esis)? Ex(?:odus|od)? Lev(?:iticus)? Num(?:bers)? Deut(?:eronomy)? Josh(?:ua)? Judges Ruth Sam(?:uel)? Kings Chron(?:icles)?
  Ezra Neh(?:emiah)? Esther Job Ps(?:alms?)? Prov(?:erbs)? Eccl(?:esiastes)? Isa(?:iah)? Jer(?:emiah)? Lam(?:entations)? Ezek(?:iel)? Dan(?:iel)?
  Hos(?:ea)? Joel Amos Jonah Micah Hab(?:akkuk)? Zech(?:ariah)? Mal(?:achi)? Matt(?:hew)? Mark Luke John Acts Rom(?:ans)? Cor(?:inthians)?
  Gal(?:atians)? Eph(?:esians)? Phil(?:ippians)? Col(?:ossians)? Thess(?:alonians)? Tim(?:othy)? Titus Heb(?:rews)? James Pet(?:er)? Jude
  Rev(?:elation)? Macc(?:abees)? Sura?h? Qur['’]?an
`)

export const MONTHS = wordsOf('January February March April May June July August September October November December')
export const SHORT_MONTHS = wordsOf('Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec')
export const WEEKDAYS = spokenForms(`
  mon | Monday
  tue,tues | Tuesday
  wed | Wednesday
  thu,thur,thurs | Thursday
  fri | Friday
  sat | Saturday
  sun | Sunday
`)

/** A currency: one, many, and its hundredth part. */
export interface Currency {
  readonly one: string
  readonly many: string
  readonly part?: { readonly one: string; readonly many: string }
}

const currencyOf = ([one = '', many = one, onePart, manyParts = onePart]: string[]): Currency => ({
  one,
  many,
  ...(onePart !== undefined && manyParts !== undefined && { part: { one: onePart, many: manyParts } }),
})

export const CURRENCIES = formsOf(
  `
  $ | dollar | dollars | cent | cents
  US$,U.S.$,US $ | US dollar | US dollars | cent | cents
  C$,CA$,CAD$,Can$ | Canadian dollar | Canadian dollars | cent | cents
  A$,AU$ | Australian dollar | Australian dollars | cent | cents
  NZ$ | New Zealand dollar | New Zealand dollars | cent | cents
  HK$ | Hong Kong dollar | Hong Kong dollars | cent | cents
  S$ | Singapore dollar | Singapore dollars | cent | cents
  NT$ | Taiwan dollar | Taiwan dollars | cent | cents
  R$ | real | reais | centavo | centavos
  £ | pound | pounds | penny | pence
  € | euro | euros | cent | cents
  ¥ | yen
  ₩ | won
  ₹,Rs.,Rs | rupee | rupees | paisa | paise
  ₽ | ruble | rubles | kopeck | kopecks
  ₺ | lira
  ₫ | dong
  ₪ | shekel | shekels | agora | agorot
  ₱ | peso | pesos | centavo | centavos
  ฿ | baht | baht | satang | satang
  ₴ | hryvnia | hryvnias | kopiyka | kopiykas
  ₦ | naira | naira | kobo | kobo
  ₿ | bitcoin | bitcoins
  ₡ | colon | colones
  ₲ | guarani | guaranies
  ₵ | cedi | cedis
  ₸ | tenge
`,
  currencyOf,
)

export const CURRENCY_CODES = formsOf(
  `
  USD | US dollar | US dollars | cent | cents
  EUR | euro | euros | cent | cents
  GBP | British pound | British pounds | penny | pence
  JPY | Japanese yen
  CHF | Swiss franc | Swiss francs | centime | centimes
  CAD | Canadian dollar | Canadian dollars | cent | cents
  AUD | Australian dollar | Australian dollars | cent | cents
  NZD | New Zealand dollar | New Zealand dollars | cent | cents
  HKD | Hong Kong dollar | Hong Kong dollars | cent | cents
  SGD | Singapore dollar | Singapore dollars | cent | cents
  CNY | Chinese yuan
  RMB | renminbi
  INR | Indian rupee | Indian rupees | paisa | paise
  KRW | Korean won
  RUB | Russian ruble | Russian rubles | kopeck | kopecks
  SEK | Swedish krona | Swedish kronor | öre | öre
  NOK | Norwegian krone | Norwegian kroner | øre | øre
  DKK | Danish krone | Danish kroner | øre | øre
  PLN | Polish zloty | Polish zlotys | grosz | groszy
  BRL | Brazilian real | Brazilian reais | centavo | centavos
  MXN | Mexican peso | Mexican pesos | centavo | centavos
  TRY | Turkish lira
  ZAR | rand | rand | cent | cents
  UAH | hryvnia | hryvnias
  ILS | shekel | shekels
  THB | Thai baht
  AED | dirham | dirhams
  SAR | Saudi riyal | Saudi riyals
  BTC | bitcoin | bitcoins
  ETH | ether
`,
  currencyOf,
)

export const WORD_MAGNITUDES = wordsOf('hundred thousand million billion trillion quadrillion lakh crore')
/** Right behind an amount of money. */
export const MAGNITUDES = spokenForms(`
  k,K | thousand
  m,M,mn,mln,mil,MM | million
  b,B,bn,bln | billion
  t,T,tn,trn | trillion
`)

interface Unit {
  readonly one: string
  readonly many: string
}

/** By the letters that stand after a number. */
export const UNITS = formsOf(
  `
  mm | millimeter
  cm | centimeter
  dm | decimeter
  m | meter
  km | kilometer
  nm | nanometer
  µm,μm | micrometer
  in | inch | inches
  ft | foot | feet
  yd,yds | yard
  mi | mile
  nmi | nautical mile
  au,AU | astronomical unit
  ly | light year
  mg | milligram
  g | gram
  kg,KG,Kg | kilogram
  µg,μg,mcg | microgram
  t | ton
  lb,lbs | pound
  oz | ounce
  st | stone | stone
  ml,mL | milliliter
  cl,cL | centiliter
  dl,dL | deciliter
  l,L | liter
  hl,hL | hectoliter
  gal | gallon
  qt | quart
  pt | pint
  tsp,Tsp | teaspoon
  tbsp,Tbsp | tablespoon
  cc | cc | cc
  ms | millisecond
  µs,μs | microsecond
  ns | nanosecond
  s,sec,secs | second
  min,mins | minute
  h,hr,hrs | hour
  yr,yrs | year
  wk,wks | week
  Hz,hz | hertz | hertz
  kHz,KHz,khz | kilohertz | kilohertz
  MHz,Mhz | megahertz | megahertz
  GHz,Ghz | gigahertz | gigahertz
  W | watt
  kW,KW | kilowatt
  MW | megawatt
  GW | gigawatt
  Wh | watt hour
  kWh,kwh | kilowatt hour
  MWh | megawatt hour
  GWh | gigawatt hour
  V | volt
  kV | kilovolt
  mV | millivolt
  A | amp
  mA | milliamp
  mAh | milliamp hour
  Ω,Ω | ohm
  kΩ | kiloohm
  J | joule
  kJ | kilojoule
  MJ | megajoule
  cal | calorie
  kcal | kilocalorie
  Pa | pascal
  hPa | hectopascal
  kPa | kilopascal
  MPa | megapascal
  psi | pound per square inch | pounds per square inch
  bar | bar
  mbar | millibar
  N | newton
  kN | kilonewton
  Nm | newton meter
  hp,bhp,shp | horsepower | horsepower
  kB,KB | kilobyte
  MB | megabyte
  GB | gigabyte
  TB | terabyte
  PB | petabyte
  KiB | kibibyte
  MiB | mebibyte
  GiB | gibibyte
  kbps,kbit/s | kilobit per second | kilobits per second
  mbps,Mbps,Mbit/s | megabit per second | megabits per second
  gbps,Gbps,Gbit/s | gigabit per second | gigabits per second
  mph | mile per hour | miles per hour
  kph,kmh | kilometer per hour | kilometers per hour
  mpg | mile per gallon | miles per gallon
  rpm,RPM | revolution per minute | revolutions per minute
  fps | frame per second | frames per second
  bpm | beat per minute | beats per minute
  dB | decibel
  dpi | dot per inch | dots per inch
  px | pixel
  MP | megapixel
  ha | hectare
  ac | acre
  eV | electron volt
  keV | kiloelectron volt
  MeV | megaelectron volt
  GeV | gigaelectron volt
  Bq | becquerel | becquerels
  mSv | millisievert
  µSv,μSv | microsievert
  lm | lumen
  lx | lux | lux
  Å | angstrom
  kn | knot
  µF,μF | microfarad
  pF | picofarad
  nF | nanofarad
  mW | milliwatt
  kbit | kilobit
  Mbit | megabit
  Gbit | gigabit
  mmol | millimole
  bbl | barrel
  kDa | kilodalton
  Da | dalton
  cwt | hundredweight | hundredweight
  fl oz | fluid ounce
  K | kelvin | kelvin
  mol | mole
  °C,℃,° C | degree Celsius | degrees Celsius
  °F,℉,° F | degree Fahrenheit | degrees Fahrenheit
  ° | degree
  % | percent | percent
  ‰ | per mille | per mille
  pp | percentage point
  ppm | part per million | parts per million
  ppb | part per billion | parts per billion
  mmHg,mm Hg | millimeter of mercury | millimeters of mercury
  inHg | inch of mercury | inches of mercury
  ′ | foot | feet
  ″ | inch | inches
`,
  ([one = '', many = `${one}s`]): Unit => ({ one, many }),
)

/** May be squared or cubed. */
export const LENGTHS: ReadonlySet<string> = new Set(wordsOf('mm cm dm m km in ft yd mi nm µm μm'))
/** Read as units only right behind the number, because they are words or letters as well. */
export const TIGHT_UNITS: ReadonlySet<string> = new Set(wordsOf('in st pt au ac A N J ly pp cal bar MP K AU'))

/** Behind a slash: "km/h", "$350/yr". */
export const PER_UNITS = spokenForms(`
  h,hr,hour | hour
  s,sec | second
  min | minute
  d,day | day
  wk,week | week
  mo,month | month
  yr,year,a | year
  kg | kilogram
  g | gram
  mg | milligram
  lb | pound
  oz | ounce
  l,L | liter
  ml,mL | milliliter
  dl,dL | deciliter
  m | meter
  km | kilometer
  cm | centimeter
  km²,km2,km^2 | square kilometer
  m²,m2,m^2 | square meter
  m³,m3,m^3 | cubic meter
  cm²,cm2 | square centimeter
  cm³,cm3 | cubic centimeter
  sq mi,mi²,mi2 | square mile
  sq ft,ft² | square foot
  s²,s2 | second squared
  gal | gallon
  mi,mile | mile
  100 km,100km | hundred kilometers
  100 g,100g | hundred grams
  100 ml,100 mL | hundred milliliters
  person | person
  night | night
  unit | unit
  kWh | kilowatt hour
  mol | mole
  ha | hectare
`)

export const VULGAR_UNITS = wordsOf(
  'mile mi inch in cup tsp tbsp lb oz hour pint quart gallon pound teaspoon tablespoon ounce teaspoons',
)

export const OPERATORS = spokenForms(`
  + | plus
  -,−,– | minus
  ×,*,·,⋅ | times
  ÷ | divided by
  / | over
  = | equals
  < | is less than
  > | is greater than
  ≤ | is less than or equal to
  ≥ | is greater than or equal to
  ≠ | is not equal to
  ≈ | is approximately
  ± | plus or minus
`)

export const SYMBOLS = spokenForms(`
  & | and
  % | percent
  ‰ | per mille
  @ | at
  # | hash
  * | asterisk
  + | plus
  = | equals
  < | less than
  > | greater than
  ≤ | less than or equal to
  ≥ | greater than or equal to
  ≠ | not equal to
  ≈ | approximately
  ~ | about
  ± | plus or minus
  × | times
  ÷ | divided by
  √ | square root of
  ∞ | infinity
  ° | degrees
  § | section
  §§ | sections
  ¶ | paragraph
  © | copyright
  ^ | caret
  _ | underscore
  → | to
  ← | from
  ↔ | to and from
  $ | dollar
  € | euro
  £ | pound
  ¥ | yen
  ₩ | won
  ₹ | rupee
  ¢ | cent
  № | number
  ² | squared
  ³ | cubed
`)

/** A number after these is a count or a name, not a Roman numeral's letter. */
export const ROMAN_BEFORE = wordsOf(
  `Chapter Part Act Scene Section Article Title Volume Book Appendix Phase Stage Class Type Level Tier Grade War Table Figure Canto
  Psalm Amendment Bowl Mark Mk Episode Season Schedule Annex Category Division Group Rocky Fantasy Symphony Apollo Saturn Vol. Vol Ch.
  Pt. No. Sect. Sec. p. pp. page pages chapter part act scene section article volume book appendix phase stage class type level tier category group`,
)

export const RULERS = wordsOf(
  `King Queen Pope Emperor Prince Tsar Czar Sultan Shah Henry Louis Charles Edward George James William Richard Elizabeth Mary Catherine
  Peter Paul John Pius Benedict Leo Gregory Innocent Clement Urban Alexander Nicholas Frederick Philip Ferdinand Napoleon Ivan Otto
  Constantine Theodosius Justinian Ramses Ramesses Ptolemy Robert David Francis Victor Gustav Christian Haakon Olaf Harald Edmund Stephen
  Leopold Albert Alfonso Carlos Felipe Juan Pedro Sixtus Julius Boniface Celestine Xerxes Darius Artaxerxes Cyrus Mehmed Selim Suleiman
  Murad Wilhelm Friedrich Maximilian Rudolf Sigismund Vladimir Michael Andrew Thomas Joseph Edgar Magnus Eric Erik Baldwin Amenhotep
  Thutmose Seti Antiochus Seleucus Tiberius Basil Romanos Manuel Alexios Andronikos Isaac Theodore Valentinian Honorius Adrian Martin
  Eugene Callixtus Paschal Anastasius Sergius Hadrian Emmanuel Vittorio Umberto Alphonse Afonso Sancho Denis Sebastian Bolesław Casimir
  Sigmund Stanisław Augustus Béla Géza Ladislaus Matthias Wenceslaus Ottokar Albrecht Ludwig Karl Heinrich Konrad Conrad Lothair Hugh
  Harold Ethelred Æthelred Cnut Canute Baudouin Beatrix Gustaf Oscar Carl Frederik Hussein Abdullah Faisal Mongkut Humphrey Rama Mithridates Nero Osman Orhan Bayezid Ahmed Mustafa Mahmud Abdul Akbar`,
)

/** Besides names of rulers. */
export const MORE_GIVEN_NAMES = wordsOf(
  `Samuel Daniel Benjamin Walter Frank Jack Donald Arthur Howard Kenneth Raymond Harry Ralph Roy Eugene Carl Jesse Cornelius Warren Russell
  Douglas Philip Phillip Stephen Steven Stuart Ronald Roger Patrick Matthew Mark Anthony Christopher Jonathan Timothy Gregory Lawrence Jeffrey
  Scott Bruce Gerald Dennis Jerry Larry Alan Albert Alfred Ernest Fred Louis Leonard Norman Earl Clarence Herbert Lewis Clifford Theodore Jose
  Sam Tom Bill Bob Jim Joe Dan Ben Nathan Nathaniel Elijah Isaiah Joshua Oliver Hamilton Preston Marshall Davis Clark`,
)
