/** `1,234.5`, `万`, `三`, `数`. `taken` counts words. */
export interface Piece {
  readonly text: string
  readonly taken: number
}

/** The last `room` digits are free. */
interface Places {
  readonly digits: string
  readonly room: number
}

interface Written {
  /** Ends with 万, 億, 兆 or 京. */
  readonly total: Places
  /** Ends with 十, 百 or 千. */
  readonly section: Places
  /** `isSpelled` for single kanji digits. */
  readonly rest: string
  readonly isSpelled: boolean
  /** Not read place by place: `3.5万`. */
  readonly unplaced?: string
}

export const MOST_DIGITS = 20

const ONES: ReadonlyMap<string, string> = new Map(
  Array.from('〇0零0○0◯0一1二2三3四4五5六6七7八8九9'.matchAll(/(.)(.)/gu), ([, one, digit]) => [one!, digit!]),
)
const UNITS = new Map([...'十百千'].map((unit, at) => [unit, at + 1]))
const MYRIADS = new Map([...'万億兆京'].map((unit, at) => [unit, 4 * (at + 1)]))
/** "Some" and "how many" stand for a digit. */
const UNNAMED = /^[数何幾]$/u
const NOTHING: Places = { digits: '', room: Number.POSITIVE_INFINITY }

export const isNumeral = (word: string): boolean =>
  ONES.has(word) || UNITS.has(word) || MYRIADS.has(word) || UNNAMED.test(word)

/** Reads the number at the start or returns null: `2億3000万` is 230000000, `数千` is 数000. Pure. */
export function joinNumber(pieces: Iterable<Piece>): { digits: string; taken: number } | null {
  let number: Written = { total: NOTHING, section: NOTHING, rest: '', isSpelled: false }
  let taken = 0
  for (const { text, taken: more } of pieces) {
    const longer = withPiece(number, text)
    // 二三十 is "twenty or thirty": 二, then 三十.
    if (longer === null && UNITS.has(text) && isPair(number)) return { digits: number.rest[0]!, taken: taken - 1 }
    if (longer === null) break
    number = longer
    taken += more
  }
  return taken === 0 ? null : { digits: digitsOf(number)!, taken }
}

const isPair = (number: Written): boolean =>
  number.isSpelled && number.rest.length === 2 && digitsOf(number) === number.rest

function withPiece(number: Written, text: string): Written | null {
  const one = ONES.get(text)
  const [unit, myriad] = [UNITS.get(text), MYRIADS.get(text)]
  if (number.unplaced !== undefined)
    return unit === undefined && myriad === undefined ? null : { ...number, unplaced: `${number.unplaced}${text}` }
  if (unit !== undefined) return withUnit(number, text, unit)
  if (myriad !== undefined) return withMyriad(number, text, myriad)
  if (UNNAMED.test(text)) return ifItFits(withUnnamed(number, text))
  return ifItFits(one === undefined ? withDigits(number, text.replaceAll(',', '')) : withOne(number, one))
}

const ifItFits = (number: Written | null): Written | null =>
  number === null || digitsOf(number) === null ? null : number

const withOne = (number: Written, one: string): Written | null =>
  number.rest === '' || number.isSpelled ? { ...number, rest: `${number.rest}${one}`, isSpelled: true } : null

function withDigits(number: Written, digits: string): Written | null {
  if (number.rest !== '') return null
  if (!digits.includes('.')) return { ...number, rest: digits, isSpelled: false }
  return digitsOf(number) === '' ? { ...number, unplaced: digits } : null
}

/** 20数 has two digits; 5数 is no number. */
function withUnnamed(number: Written, text: string): Written | null {
  const { section, rest } = number
  if (rest === '') return { ...number, rest: text, isSpelled: false }
  const free = /^\d+?(0*)$/.exec(rest)?.[1]?.length ?? 0
  const digits = free === 0 ? null : put(section, rest)
  return digits === null ? null : { ...number, section: { digits, room: free }, rest: text, isSpelled: false }
}

function withUnit(number: Written, text: string, zeros: number): Written | null {
  const { total, section, rest, isSpelled } = number
  if (isSpelled && rest.length > 1) return null
  const value = `${rest.replace(/^0+(?=.)/, '') || '1'}${'0'.repeat(zeros)}`
  if (digitsOf(number) === rest && !isPlaced(value)) return { ...number, unplaced: `${rest}${text}` }
  const digits = put(section, value)
  return digits === null ? null : { total, section: { digits, room: zeros }, rest: '', isSpelled: false }
}

/** 万 alone is a word. */
function withMyriad(number: Written, text: string, zeros: number): Written | null {
  const before = put(number.section, number.rest)?.replace(/^0+(?=.)/, '') ?? ''
  if (before === '') return null
  const value = `${before}${'0'.repeat(zeros)}`
  if (number.total.digits === '' && !isPlaced(value)) return { ...number, unplaced: `${before}${text}` }
  const digits = put(number.total, value)
  const section = { digits: '', room: zeros }
  return digits === null ? null : { total: { digits, room: zeros }, section, rest: '', isSpelled: false }
}

const isPlaced = (value: string): boolean => value.length <= MOST_DIGITS && !value.startsWith('0')

const digitsOf = ({ total, section, rest, unplaced }: Written): string | null => {
  const last = put(section, rest)
  return unplaced ?? (last === null ? null : put(total, last))
}

const put = ({ digits, room }: Places, last: string): string | null =>
  last.length > room ? null : `${digits.slice(0, digits.length - last.length)}${last}`
