export const EVENT_STREAM = 'text/event-stream'
const HTML = 'text/html'
export const ANSWER_TYPES = ['application/json', 'application/graphql-response+json', EVENT_STREAM, 'multipart/mixed']

const MAX_RANGES = 50
const QUALITY = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/
const OTHER_CHARSET = /^charset=(?!"?utf-8"?$)/

interface Range {
  readonly name: string
  readonly quality: number
}

interface Liking {
  readonly type: string
  readonly quality: number
  readonly precision: number
  readonly position: number
}

/** Lists the types that an Accept header takes, the preferred one first (RFC 9110 section 12.5.1). */
export function acceptedTypes(header: string | null | undefined, types: readonly string[]): string[] {
  if (!header) return [...types]
  const ranges = rangesOf(header)
  const liked = types.map((type) => likingOf(type, ranges)).filter(({ quality }) => quality > 0)
  return liked
    .sort((a, b) => b.quality - a.quality || b.precision - a.precision || a.position - b.position)
    .map(({ type }) => type)
}

/** Asked before the operation runs, because a new key would be lost with its answer. */
export const accepts = (header: string | null | undefined, types: readonly string[]): boolean =>
  acceptedTypes(header, types).length > 0

export function prefersHtml(header: string | undefined): boolean {
  const ranges = rangesOf(header ?? '')
  const html = likingOf(HTML, ranges)
  return (
    html.precision === 3 &&
    html.quality > 0 &&
    ANSWER_TYPES.every((type) => likingOf(type, ranges).quality <= html.quality)
  )
}

function rangesOf(header: string): Range[] {
  return header
    .toLowerCase()
    .split(',', MAX_RANGES)
    .map((range) => {
      const [name = '', ...parameters] = range.split(';', MAX_RANGES).map((part) => part.trim())
      const quality = parameters.map((one) => QUALITY.exec(one)?.[1]).find((found) => found !== undefined)
      return { name, quality: parameters.some((one) => OTHER_CHARSET.test(one)) ? 0 : Number(quality ?? 1) }
    })
}

function likingOf(type: string, ranges: readonly Range[]): Liking {
  const names = ['*/*', `${type.slice(0, type.indexOf('/'))}/*`, type]
  let liking: Liking = { type, quality: 0, precision: 0, position: 0 }
  for (const [position, { name, quality }] of ranges.entries()) {
    const precision = names.indexOf(name) + 1
    if (precision > liking.precision) liking = { type, quality, precision, position }
  }
  return liking
}
