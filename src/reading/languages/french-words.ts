import type { Counted, Currency } from '../european/words.ts'
import { formsOf, rowsOf, spokenForms, wordsOf } from '../table.ts'

/** A gender, a singular and, if it is not the singular and an s, a plural. */
const counted = ([gender = 'm', one = '', other = `${one}s`]: string[]): Counted => ({
  gender: gender === 'f' ? 'feminine' : 'masculine',
  forms: { one, other, many: other },
})

export const MONTHS = wordsOf('janvier février mars avril mai juin juillet août septembre octobre novembre décembre')
export const MONTH_FORMS = rowsOf(`
  janvier | janv
  février | févr | fév | fevrier
  mars
  avril | avr
  mai
  juin
  juillet | juil
  août | aout
  septembre | sept
  octobre | oct
  novembre | nov
  décembre | déc | decembre
`)

export const MAGNITUDES = [
  { pattern: 'k(?=[€$ ])|milliers', word: counted(['m', 'mille', 'mille']) },
  { pattern: 'millions?|M(?=[ €$])|mio', word: counted(['m', 'million']), joint: 'de ' },
  { pattern: 'milliards?|Mds?', word: counted(['m', 'milliard']), joint: 'de ' },
  { pattern: 'billions?', word: counted(['m', 'billion']), joint: 'de ' },
]

export const CURRENCIES = formsOf(
  `
  €,EUR,euro,euros | m | euro | euros | m | centime
  $ | m | dollar | dollars | m | cent
  US$,USD,$US,$ US | m | dollar américain | dollars américains | m | cent
  CA$,CAD,$CA | m | dollar canadien | dollars canadiens | m | cent
  £ | f | livre | livres | m | penny | pence
  GBP | f | livre sterling | livres sterling | m | penny | pence
  ¥ | m | yen
  JPY | m | yen
  CHF | m | franc suisse | francs suisses | m | centime
  F | m | franc | francs | m | centime
  ₽ | m | rouble
  ₩ | m | won
  ₹ | f | roupie
  ₿ | m | bitcoin
  FCFA | m | franc CFA | francs CFA
`,
  ([gender, one, many, partGender, part, parts]): Currency => ({
    ...counted([gender, one, many].filter((cell) => cell !== undefined)),
    ...(part !== undefined && { part: counted([partGender, part, parts].filter((cell) => cell !== undefined)) }),
  }),
)

export const UNITS = formsOf(
  `
  mm | m | millimètre
  cm | m | centimètre
  dm | m | décimètre
  m | m | mètre
  km | m | kilomètre
  nm | m | nanomètre
  µm,μm | m | micromètre
  ha | m | hectare
  mg | m | milligramme
  g | m | gramme
  kg | m | kilogramme
  µg | m | microgramme
  t | f | tonne
  ml,mL | m | millilitre
  cl,cL | m | centilitre
  dl,dL | m | décilitre
  l,L | m | litre
  hl | m | hectolitre
  c. à s.,càs,c. à soupe | f | cuillère à soupe | cuillères à soupe
  c. à c.,càc,c. à café | f | cuillère à café | cuillères à café
  ms | f | milliseconde
  s,sec | f | seconde
  min,mn | f | minute
  h | f | heure
  j | m | jour
  Hz | m | hertz | hertz
  kHz | m | kilohertz | kilohertz
  MHz | m | mégahertz | mégahertz
  GHz | m | gigahertz | gigahertz
  W | m | watt
  kW | m | kilowatt
  MW | m | mégawatt
  GW | m | gigawatt
  Wh | m | watt-heure | watt-heures
  kWh | m | kilowatt-heure | kilowatt-heures
  MWh | m | mégawatt-heure | mégawatt-heures
  TWh | m | térawatt-heure | térawatt-heures
  V | m | volt
  kV | m | kilovolt
  A | m | ampère
  mA | m | milliampère
  mAh | m | milliampère-heure | milliampère-heures
  Ω | m | ohm
  J | m | joule
  kJ | m | kilojoule
  kcal | f | kilocalorie
  cal | f | calorie
  Pa | m | pascal
  hPa | m | hectopascal
  bar | m | bar
  ch | m | cheval | chevaux
  dB | m | décibel
  ko,Ko | m | kilo-octet | kilo-octets
  Mo | m | méga-octet | méga-octets
  Go | m | giga-octet | giga-octets
  To | m | téra-octet | téra-octets
  MB | m | mégabyte
  GB | m | gigabyte
  Mbit/s,Mb/s | m | mégabit par seconde | mégabits par seconde
  Gbit/s,Gb/s | m | gigabit par seconde | gigabits par seconde
  °C,° C | m | degré Celsius | degrés Celsius
  °F | m | degré Fahrenheit | degrés Fahrenheit
  ‰ | m | pour mille | pour mille
  l/100 km,l/100km,L/100 km | m | litre aux cent kilomètres | litres aux cent kilomètres
  p. | f | page
  pers. | f | personne
  pt,pts | m | point
  tr/min | m | tour par minute | tours par minute
  N | m | newton
  kN | m | kilonewton
  Nm,N·m | m | newton-mètre | newtons-mètres
  lm | m | lumen
  lx | m | lux | lux
  ″ | m | pouce
`,
  counted,
)

export const PER_UNITS = spokenForms(`
  h,heure | heure
  s | seconde
  min | minute
  j,jour | jour
  sem.,semaine | semaine
  mois | mois
  an | an
  nuit | nuit
  pers,personne | personne
  hab | habitant
  kg | kilogramme
  g | gramme
  l,L | litre
  ml | millilitre
  m | mètre
  km | kilomètre
  cm | centimètre
  kWh | kilowatt-heure
`)

export const MARKS = spokenForms(`
  . | point
  / | barre oblique
  : | deux-points
  - | tiret
  _ | tiret bas
  @ | arobase
  ? | point d'interrogation
  = | égal
  & | et
  # | hashtag
  % | pour cent
  + | plus
  ~ | tilde
`)

export const SAID_AS_WORDS: ReadonlySet<string> = new Set(wordsOf('com net org info mail blog web app dev gouv'))

/** Short acronyms that are said as words, and short words that are written in capitals. */
export const ACRONYMS: ReadonlySet<string> = new Set(
  wordsOf(
    'ONU BAC PAC ZAC CAF SIM PIN RAM ROM GIF OK LE LA LES DE DES DU UN UNE ET EST EN AU AUX PAR SUR QUI QUE NON OUI PAS MR',
  ),
)

export const SYMBOLS = spokenForms(`
  & | et
  % | pour cent
  ‰ | pour mille
  §§ | paragraphes
  § | paragraphe
  + | plus
  = | égale
  ≤ | inférieur ou égal à
  ≥ | supérieur ou égal à
  ≠ | différent de
  ≈ | environ
  ± | plus ou moins
  × | fois
  ÷ | divisé par
  √ | racine carrée de
  ∞ | infini
  ° | degrés
  © | copyright
  → | vers
  € | euros
  $ | dollars
  £ | livres
  ¥ | yens
  < | inférieur à
  > | supérieur à
  @ | arobase
  # | dièse
  ^ | puissance
  ² | au carré
  ³ | au cube
  ~ | environ
`)

export const ABBREVIATIONS = spokenForms(`
  Cie.,Cⁱᵉ | compagnie
  trad. | traduction
  M. | Monsieur
  MM. | Messieurs
  Mme,Mme. | Madame
  Mmes | Mesdames
  Mlle,Mlle. | Mademoiselle
  Mlles | Mesdemoiselles
  Dr,Dr.,Dʳ | docteur
  Drs,Dʳˢ | docteurs
  Dʳᵉ | docteure
  Dʳᵉˢ | docteures
  Pr,Pr. | professeur
  Me | maître
  St,St. | Saint
  Ste,Ste. | Sainte
  etc. | et cetera
  suiv. | suivantes
  art. | article
  ét. | étage
  pers. | personnes
  ds | dans
  RDV | rendez-vous
  rv | rendez-vous
  stp,STP | s'il te plaît
  SVP | s'il vous plaît
  slt | salut
  bjr | bonjour
  tkt | t'inquiète
  bcp | beaucoup
  dsl | désolé
  qqch | quelque chose
  qqn | quelqu'un
  auj. | aujourd'hui
  tjs | toujours
  pb | problème
  mdr | mort de rire
  càd | c'est-à-dire
  app. | appartement
  appt. | appartement
  arr. | arrondissement
  bât. | bâtiment
  tél | téléphone
  chap. | chapitre
  fig. | figure
  vol. | volume
  coll. | collection
  prof. | professeur
  ex. | exemple
  rens. | renseignements
  ref.,réf. | référence
  nb | nombre
  hebdo. | hebdomadaire
  mens. | mensuel
  Gal,Gén.,gén. | général
  Lt,Lt. | lieutenant
  cap. | capitaine
  Sgt,Sgt. | sergent
  Cdt,Cdt. | commandant
  Cne | capitaine
  Col. | colonel
  Ets | établissements
  Sté,Sté. | société
  Mgr,Mgr. | monseigneur
  Vve | veuve
  av. J-C | avant Jésus-Christ
  ap. J-C | après Jésus-Christ
  th. | thermostat
  p. ex.,p.ex. | par exemple
  c.-à-d. | c'est-à-dire
  env. | environ
  av. J.-C. | avant Jésus-Christ
  apr. J.-C.,ap. J.-C. | après Jésus-Christ
  bd,bd. | boulevard
  Bd,Bd. | Boulevard
  bld | boulevard
  av. | avenue
  pl. | place
  tél. | téléphone
  cf. | confer
  vs | versus
  Cie | Compagnie
  max. | maximum
  min. | minimum
  dép. | département
  hab. | habitants
  S.A. | S A
  P.-D.G.,P.D.G. | P D G
  s.v.p. | s'il vous plaît
  svp | s'il vous plaît
  rdv | rendez-vous
  r.-v. | rendez-vous
  resp. | respectivement
  éd. | édition
  janv. | janvier
  févr. | février
  juil. | juillet
  sept. | septembre
  oct. | octobre
  nov. | novembre
  déc. | décembre
  lun. | lundi
  mar. | mardi
  mer. | mercredi
  jeu. | jeudi
  ven. | vendredi
  sam. | samedi
  dim. | dimanche
`)

export const BEFORE_NUMBERS = spokenForms(`
  n°,nº,no | numéro
  nos,n°s | numéros
  p. | page
  pp. | pages
  chap. | chapitre
  art. | article
  fig. | figure
  vol. | volume
  t. | tome
  env. | environ
  tél. | téléphone
  al. | alinéa
  tabl. | tableau
  rép. | réponse
  th. | thermostat
  réf. | référence
  ch. | chapitre
  bât. | bâtiment
  appt,apt | appartement
  éd. | édition
  km | kilomètre
`)

export const ROMAN_BEFORE =
  '[Cc]hapitre|[Pp]artie|[Tt]ome|[Vv]olume|[Aa]cte|[Ss]cène|[Ll]ivre|[Tt]itre|[Aa]rticle|[Aa]nnexe|[Pp]hase|[Tt]ype|Rocky|mondiale|[Nn]iveau'
export const RULERS =
  'Louis|Charles|Henri|François|Napoléon|Philippe|Jean-Paul|Jean|Benoît|Pie|Élisabeth|Elizabeth|Georges|Édouard|Guillaume|Frédéric|Catherine|Pierre|Paul|Alexandre|Nicolas|Léopold|Albert|Richard|Jacques|Robert|Ramsès|Innocent|Léon|Grégoire|Clément|Urbain|Boniface|Philippe|Sixte|Amédée|Victor-Emmanuel|Rainier|Mohammed|Hassan'

/** Before the number of a section or a version, "3.2". */
export const SECTION_BEFORE =
  '[Cc]hap\\.|[Cc]hapitre|[Ff]ig\\.|[Ff]igure|[Tt]abl\\.|[Tt]ableau|[Ss]ection|[Vv]ersion|[Pp]oint|[Aa]nnexe|§|Android|iOS'

/** Nouns that take "une". */
export const FEMININE =
  /^(?:(?:autre|grande|petite|nouvelle|jeune|belle|bonne|dernière|première)s? )?(?:heure|année|semaine|minute|seconde|fois|personne|femme|fille|voiture|page|tonne|place|maison|ville|voix|victoire|équipe|pièce|question|étape|tranche|cuillère|tasse|pincée|gousse|boîte|bouteille|part|chambre|nuit|étoile|feuille|carte|lettre|ligne|histoire|école|île|langue|livre sterling|mère|sœur|mort|partie|porte|table|tête|tomate|carotte|pomme|banane|chanson|œuvre|entreprise|banque|usine|route|rue|province|région|commune|république|note|étude|mesure|preuve|règle|idée|défaite|journée|soirée|photo|vidéo|vie|usine|faute|classe|clé|couche|courgette|échalote|branche|botte|dent|main|jambe|langue|vache|chèvre)s?(?!\p{L})|^(?!(?:bastion|comité|musée|lycée|trophée|stade|grade|domaine|capitaine|cimetière|derrière|génie|incendie|parapluie|foie|magazine|mille|intervalle|silence|père|frère|caractère|verre|tonnerre|dimanche|manche|murmure|prélude|modèle|kilomètre|mètre|centimètre|millimètre|litre)s?(?!\p{L}))\p{Ll}\p{L}*(?:tion|sion|ité|ette|ance|ence|euse|trice|esse|ade|elle|aine|ure|ée|ise|ière|erie|ie|ine|aille|eille|ille|otte|asse|isse|ousse|aie|oie|tude|une|tte|nne|che|nde|rte|ère|rre)s?(?!\p{L})/u

export const DAYS = spokenForms(`
  lun,lundi | lundi
  mar,mardi | mardi
  mer,mercredi | mercredi
  jeu,jeudi | jeudi
  ven,vendredi | vendredi
  sam,samedi | samedi
  dim,dimanche | dimanche
`)

/** Decades that are written with an English s. */
export const DECADES = spokenForms(`
  20 | twenties
  30 | thirties
  40 | forties
  50 | fifties
  60 | sixties
  70 | seventies
  80 | eighties
  90 | nineties
`)

/** Words that begin a sentence and no name. */
export const STARTERS =
  'Le|La|Les|L’|Un|Une|Des|Du|De|En|Au|Aux|Il|Elle|Ils|Elles|On|Nous|Vous|Je|Tu|Ce|Cet|Cette|Ces|Cela|Ça|Et|Mais|Ou|Puis|Ensuite|Après|Avant|Alors|Donc|Car|Si|Dans|Sur|Sous|Pour|Par|Avec|Sans|Chez|Vers|Depuis|Quand|Comme|Que|Qui|Où|Son|Sa|Ses|Leur|Mon|Ma|Notre|Votre|Tout|Tous|Toute|Aujourd’hui|Hier|Demain|Ici|Là|Voici|Voilà|Enfin|Ainsi|Aussi|Cependant|Pourtant|Toutefois|Selon|Non|Oui|Ne'
