/** One metric of an exposition. */
export interface Family {
  readonly name: string
  readonly help: string
  readonly type: string
  readonly samples: readonly Sample[]
}

/** One line of values. */
export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const HELP = /^# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$/
const TYPE = /^# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram|summary)$/
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|NaN|[+-]Inf)$/
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  counter: [''],
  gauge: [''],
  histogram: ['_bucket', '_sum', '_count'],
  summary: ['', '_sum', '_count'],
}

/**
 * Reads Prometheus's text format as its specification has it, and strictly: HELP and TYPE once before the samples of a metric, no sample
 * outside of its metric, none twice, histograms whole and rising. @throws Error naming the line
 */
export function parseExposition(text: string): ReadonlyMap<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line has no end')
  const families = new Map<string, { name: string; help: string; type: string; samples: Sample[] }>()
  const seen = new Set<string>()
  let current: { name: string; help: string; type: string; samples: Sample[] } | undefined
  for (const line of text.split('\n')) {
    if (line === '') continue
    const help = HELP.exec(line)
    const type = TYPE.exec(line)
    if (help !== null) {
      if (families.has(help[1]!)) throw new Error(`a second metric of one name: ${line}`)
      current = { name: help[1]!, help: help[2]!, type: '', samples: [] }
      families.set(current.name, current)
    } else if (type !== null) {
      if (current?.name !== type[1] || current?.type !== '') throw new Error(`a type without its metric: ${line}`)
      current.type = type[2]!
    } else {
      const sample = readSample(line)
      const belongs = SUFFIXES[current?.type ?? '']?.some((suffix) => sample.name === `${current?.name}${suffix}`)
      if (current === undefined || belongs !== true) throw new Error(`a sample without its metric: ${line}`)
      const key = `${sample.name} ${JSON.stringify(Object.entries(sample.labels).sort())}`
      if (seen.has(key)) throw new Error(`a sample twice: ${line}`)
      seen.add(key)
      current.samples.push(sample)
    }
  }
  for (const family of families.values()) checkFamily(family)
  return families
}

function readSample(line: string): Sample {
  const match = SAMPLE.exec(line)
  if (match === null) throw new Error(`no sample: ${line}`)
  const labels: Record<string, string> = {}
  for (let rest = match[2] ?? ''; rest !== ''; ) {
    const label = LABEL.exec(rest)
    if (label === null || label[1]! in labels) throw new Error(`no labels: ${line}`)
    labels[label[1]!] = label[2]!
    rest = rest.slice(label[0].length)
  }
  return { name: match[1]!, labels, value: Number(match[3]!.replace('Inf', 'Infinity')) }
}

function checkFamily({ name, type, samples }: Family): void {
  if (type === 'counter' && samples.some(({ value }) => !(value >= 0))) throw new Error(`${name} has fallen`)
  if (type !== 'histogram') return
  const series = Map.groupBy(samples, ({ labels: { le: _le, ...labels } }) => JSON.stringify(labels))
  for (const [key, all] of series) {
    const buckets = all.filter((one) => one.name === `${name}_bucket`)
    const bounds = buckets.map(({ labels }) => Number(labels.le?.replace('Inf', 'Infinity')))
    const isRising = bounds.every((bound, at) => at === 0 || bound > bounds[at - 1]!)
    const isCumulative = buckets.every(({ value }, at) => at === 0 || value >= buckets[at - 1]!.value)
    const count = all.find((one) => one.name === `${name}_count`)?.value
    const isWhole = bounds.at(-1) === Number.POSITIVE_INFINITY && buckets.at(-1)?.value === count
    if (!isRising || !isCumulative || !isWhole) throw new Error(`${name} ${key} is no histogram`)
  }
}
