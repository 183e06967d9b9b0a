/** The offered encoding that Accept-Encoding prefers (RFC 9110 section 12.5.3), or identity. `offered` lists the best first. */
export function preferredEncoding<Offered extends string>(
  header: string | undefined,
  offered: readonly Offered[],
): Offered | 'identity' {
  const weights = readWeights(header ?? '')
  let [best, most]: [Offered | 'identity', number] = ['identity', weights.get('identity') ?? 0]
  for (const encoding of offered) {
    const weight = weights.get(encoding) ?? weights.get(`x-${encoding}`) ?? weights.get('*') ?? 0
    if (weight > most || (weight > 0 && weight === most && best === 'identity')) [best, most] = [encoding, weight]
  }
  return best
}

function readWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>()
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    weights.set(name, weight === undefined ? 1 : Number(weight))
  }
  return weights
}
