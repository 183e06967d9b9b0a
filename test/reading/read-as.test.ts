import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ReadAsOptions, readAs } from '../../src/reading/read-as.ts'

const LANGUAGES = 'English German French Spanish Italian Portuguese Russian Chinese Japanese Korean'.split(' ')
const KINDS = [
  ...['cardinal', 'number', 'ordinal', 'fraction', 'unit', 'date', 'time', 'duration'],
  ...['currency', 'telephone', 'digits', 'characters'],
]

/** The text, its kind, its format, and the words in the order of LANGUAGES. */
const CASES = `
  2026 | cardinal || two thousand twenty six | zwei tausend sechs und zwanzig | deux mille vingt-six | dos mil veintiséis | duemila ventisei | dois mil e vinte e seis | две тысячи двадцать шесть | 两千零二十六 | 二千二十六 | 이천이십육
  IV | number || four | vier | quatre | cuatro | quattro | quatro | четыре | 四 | 四 | 사
  007 | cardinal || seven | sieben | sept | siete | sette | sete | семь | 七 | 七 | 칠
  3 | ordinal || third | dritte | troisième | tercero | terzo | terceiro | третий | 第三 | 三番目 | 세번째
  XXI | ordinal || twenty first | ein und zwanzigste | vingt-et-unième | vigesimoprimero | ventunesimo | vigésimo primeiro | двадцать первый | 第二十一 | 二十一番目 | 스물한번째
  2026 | digits || two zero two six | zwei null zwei sechs | deux zéro deux six | dos cero dos seis | due zero due sei | dois zero dois seis | два ноль два шесть | 二零二六 | 二ゼロ二六 | 이영이육
  9/11 | fraction || nine elevenths | neun elftel | neuf onzièmes | nueve onceavos | nove undicesimi | nove onze avos | девять одиннадцатых | 十一分之九 | 十一分の九 | 십일분의 구
  3+1/2 | fraction || three and a half | drei ein halb | trois et demi | tres y medio | tre e un mezzo | três e um meio | три с половиной | 三又二分之一 | 三と二分の一 | 삼과 이분의 일
  5 km | unit || five kilometers | fünf Kilometer | cinq kilomètres | cinco kilómetros | cinque chilometri | cinco quilômetros | пять километров | 五千米 | 五キロメートル | 오 킬로미터
  11/12/2026 | date | dmy | December eleventh twenty twenty six | elfter Dezember zwei tausend sechs und zwanzig | onze décembre deux mille vingt-six | once de diciembre de dos mil veintiséis | undici dicembre duemila ventisei | onze de dezembro de dois mil e vinte e seis | одиннадцатое декабря две тысячи двадцать шестого | 二零二六年十二月十一日 | 二千二十六年十二月十一日 | 이천이십육년 십이월 십일일
  3.5. | date | dm | May third | dritter Mai | trois mai | tres de mayo | tre maggio | três de maio | третье мая | 五月三日 | 五月三日 | 오월 삼일
  5/2026 | date | my | May twenty twenty six | Mai zwei tausend sechs und zwanzig | mai deux mille vingt-six | mayo de dos mil veintiséis | maggio duemila ventisei | maio de dois mil e vinte e seis | май две тысячи двадцать шестого | 二零二六年五月 | 二千二十六年五月 | 이천이십육년 오월
  1945 | date | y | nineteen forty five | neunzehn hundert fünf und vierzig | mille neuf cent quarante-cinq | mil novecientos cuarenta y cinco | mille novecento quarantacinque | mil novecentos e quarenta e cinco | тысяча девятьсот сорок пятый | 一九四五年 | 千九百四十五年 | 천구백사십오년
  2:30 pm | time || two thirty PM | vierzehn Uhr dreißig | quatorze heures trente | dos y media de la tarde | quattordici e trenta minuti | catorze horas e trinta | четырнадцать часов тридцать минут | 下午两点三十分 | 午後二時三十分 | 오후 두시 삼십분
  1430 | time | hms24 | fourteen thirty | vierzehn Uhr dreißig | quatorze heures trente | catorce y media | quattordici e trenta minuti | catorze horas e trinta | четырнадцать часов тридцать минут | 十四点三十分 | 十四時三十分 | 십사시 삼십분
  1'21" | time || one minute twenty one seconds | eine Minute ein und zwanzig Sekunden | une minute vingt-et-une secondes | un minuto veintiún segundos | un minuto ventuno secondi | um minuto vinte e um segundos | одна минута двадцать одна секунда | 一分钟二十一秒 | 一分二十一秒 | 일 분 이십일 초
  1:02:03 | duration | hms | one hour two minutes three seconds | eine Stunde zwei Minuten drei Sekunden | une heure deux minutes trois secondes | una hora dos minutos tres segundos | un’ora due minuti tre secondi | uma hora dois minutos três segundos | один час две минуты три секунды | 一小时两分钟三秒 | 一時間二分三秒 | 일 시간 이 분 삼 초
  10086 | telephone || one zero zero eight six | eins null null acht sechs | un zéro zéro huit six | uno cero cero ocho seis | uno zero zero otto sei | um zero zero oito seis | один ноль ноль восемь шесть | 幺零零八六 | 一ゼロゼロ八六 | 일영영팔육
  +49 30 123456 | telephone || plus four nine, three zero, one two three four five six | plus neun und vierzig, drei null, eins zwei drei vier fünf sechs | plus quarante-neuf, trente, un deux trois quatre cinq six | más cuarenta y nueve, tres cero, uno dos tres cuatro cinco seis | più quattro nove, tre zero, uno due tre quattro cinque sei | mais quatro nove, três zero, um dois três quatro cinco seis | плюс сорок девять, тридцать, один два три четыре пять шесть | 加四九，三零，幺二三四五六 | プラス四九、三ゼロ、一二三四五六 | 국가번호 사구 삼영 일이삼사오육
  12.50 | currency | EUR | twelve euros fifty cents | zwölf Euro fünfzig Cent | douze euros cinquante centimes | doce euros cincuenta céntimos | dodici euro cinquanta centesimi | doze euros e cinquenta centavos | двенадцать евро пятьдесят центов | 十二点五欧元 | 十二点五ユーロ | 십이점오 유로
  $42 | currency || forty two dollars | zwei und vierzig Dollar | quarante-deux dollars | cuarenta y dos dólares | quarantadue dollari | quarenta e dois dólares | сорок два доллара | 四十二美元 | 四十二ドル | 사십이 달러
  7 | characters || seven | sieben | sept | siete | sette | sete | семь | 七 | 七 | 칠
  - | characters || dash | Bindestrich | tiret | guion | trattino | hífen | тире | 杠 | ハイフン | 대시
`
  .trim()
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))

test.each(CASES)('%s as %s %s is said in each language', (text = '', as = '', format = '', ...said) => {
  expect(LANGUAGES.map((language) => readAs(text, as, language, { format }))).toEqual(said)
})

describe('a text of a chosen kind', () => {
  test.each([
    ['3', 'ordinal', 'German', { before: 'am ', after: ' Tag' }, 'dritten'],
    ['3', 'ordinal', 'German', { before: 'der ', after: ' Mann' }, 'dritte'],
    ['3.5.2026', 'date', 'German', { before: 'am ' }, 'dritten Mai zwei tausend sechs und zwanzig'],
    ['5/6/2026', 'date', 'English', { variant: 'GB' }, 'June fifth twenty twenty six'],
    ['5/6/2026', 'date', 'English', {}, 'May sixth twenty twenty six'],
    ['5/6', 'date', 'English', { variant: 'GB' }, 'the fifth of June'],
    ['1/2/26', 'date', 'English', {}, 'January second twenty twenty six'],
    ['1/2/85', 'date', 'English', {}, 'January second nineteen eighty five'],
    ['20261128', 'date', 'English', { format: 'yyyymmdd' }, 'November twenty eighth twenty twenty six'],
    ['May 5, 2026', 'date', 'English', {}, 'May fifth twenty twenty six'],
    ['10. März 2020', 'date', 'German', {}, 'zehnter März zwei tausend zwanzig'],
    ['2026/11', 'date', 'Japanese', {}, '二千二十六年十一月'],
    ['3ª', 'ordinal', 'Spanish', {}, 'tercera'],
    ['1re', 'ordinal', 'French', {}, 'première'],
    ['1,234.5', 'cardinal', 'English', {}, 'one thousand two hundred thirty four point five'],
    ['-12345', 'cardinal', 'German', {}, 'minus zwölf tausend drei hundert fünf und vierzig'],
    ['99.9 USD', 'currency', 'English', {}, 'ninety nine US dollars ninety cents'],
    ['1-800-GO-U-HAUL', 'telephone', 'English', {}, 'one, eight hundred, GO U HAUL'],
    ['3½', 'fraction', 'English', {}, 'three and a half'],
    ['3.14', 'digits', 'English', {}, 'three dot one four'],
    ['40-25', 'digits', 'English', {}, 'four zero, two five'],
    ['45"', 'duration', 'English', {}, 'forty five seconds'],
    ['90', 'duration', 'English', { format: 's' }, 'ninety seconds'],
  ] as const)('%s as %s in %s with %j', (text, as, language, options: ReadAsOptions, said) => {
    expect(readAs(text, as, language, options)).toBe(said)
  })

  test.each([
    ['hello', 'cardinal'],
    ['hello', 'date'],
    ['31/31/2026', 'date'],
    ['hello', 'digits'],
    ['', 'cardinal'],
    ['A', 'characters'],
    ['5', 'address'],
    ['5', 'constructor'],
  ])('%j is no %s', (text, as) => {
    for (const language of LANGUAGES) expect(readAs(text, as, language)).toBeNull()
    expect(readAs(text, as, 'Klingon')).toBeNull()
  })

  test('may be anything, and never holds more than it must', () => {
    const text = fc.oneof(
      fc.string({ unit: fc.constantFrom(...'0123456789/:.-+,()\'" apmAVXI½$€'), maxLength: 24 }),
      fc.string({ unit: 'grapheme', maxLength: 24 }),
    )
    const holds = fc.property(
      text,
      fc.constantFrom(...KINDS),
      fc.constantFrom(...LANGUAGES),
      fc.constantFrom('', 'dmy', 'ms', 'EUR'),
      (written, as, language, format) => {
        const said = readAs(written, as, language, { format })
        expect(said === null || said.length <= 100 + 60 * written.length).toBe(true)
      },
    )
    fc.assert(holds, { numRuns: 2000 })
  })

  test.each(KINDS)('of 20,000 characters as %s takes no time', (as) => {
    const start = performance.now()
    for (const unit of ['1', '1 ', '1/', ':', 'I', '½', '1-', '('])
      readAs(unit.repeat(20_000 / unit.length), as, 'English')
    expect(performance.now() - start).toBeLessThan(5000)
  })
})
