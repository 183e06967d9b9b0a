import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { canonicalJson } from '../src/values/json.ts'

// Renders the chart as Helm does, for codegen and tests, which have no Helm. The templates use little of Go's language: paths, `if`, `else`,
// `range` over maps, and the functions below. Whatever else stands in one is an error here.

const CHART = fileURLToPath(new URL('helm', import.meta.url))
const EXAMPLE = fileURLToPath(new URL('../examples/kubernetes/values.yaml', import.meta.url))
const ORDER = ['settings', 'postgres', 'migrate', 'api', 'workers', 'network']
const ACTION = /\{\{(-?) (.*?) (-?)\}\}/gs
const TOKEN = /"[^"]*"|\d+|[()]|[$.\w]+/g

type Value = unknown
type Scope = Readonly<Record<string, Value>>

interface Node {
  readonly text?: string
  readonly code?: string
  readonly body: Node[]
  readonly otherwise: Node[]
}

export const chartValues = (): Scope => parse(readFileSync(join(CHART, 'values.yaml'), 'utf8')) as Scope

const HEAD = `# An API and workers, as the chart in packaging/helm has them with values.yaml beside this file: see docs/kubernetes.md. "npm run codegen" writes it.
# CloudNativePG and KEDA are there already, and Prometheus reads the pods that are annotated. A claim sonant-models holds the models.
#   kubectl create secret generic sonant --from-literal=SECRET_KEY="$(openssl rand -base64 33)" \\
#     --from-literal=AWS_ACCESS_KEY_ID=… --from-literal=AWS_SECRET_ACCESS_KEY=…
#   IMAGE=registry.example.com/sonant:1
#   docker build -f examples/Dockerfile -t $IMAGE .
#   docker push $IMAGE
#   kubectl apply -f examples/kubernetes/sonant.yaml
#   kubectl exec deploy/sonant-api -- sonant accounts create --name me --credits 1000000
#   kubectl exec deploy/sonant-api -- sonant keys create --account me --name first
# A new version: delete and apply the Job with the new image first ("sonant migrate --plan" says whether the old version may run at the same time).
`

/** The example for those without Helm. */
export const generateKubernetes = (): string => HEAD + renderChart(parse(readFileSync(EXAMPLE, 'utf8')) as Scope)

/** @param values as `helm install --values` takes them: maps are merged with those of the chart */
export function renderChart(values: Scope, release = 'sonant'): string {
  const names = readdirSync(join(CHART, 'templates')).map((name) => name.replace('.yaml', ''))
  if (names.toSorted().join() !== ORDER.toSorted().join()) throw new Error(`put every template in order: ${names}`)
  const root = { Values: merge(chartValues(), values), Release: { Name: release, Revision: 1 } }
  return ORDER.map((name) => renderTemplate(readFileSync(join(CHART, `templates/${name}.yaml`), 'utf8'), root))
    .map((text) => text.replace(/^\s*(---\n)?/, '').trimEnd())
    .filter((text) => text !== '')
    .join('\n---\n')
    .concat('\n')
}

/** A null takes a value of the chart away. */
export function merge(base: Value, over: Value): Value {
  if (!isMap(base) || !isMap(over)) return over
  const merged = Object.entries(over).map(([name, value]) => [name, merge(base[name], value)] as const)
  const all = { ...base, ...Object.fromEntries(merged) }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null))
}

export function renderTemplate(source: string, root: Scope): string {
  const [nodes, rest] = read(tokensOf(source))
  if (rest.length > 0) throw new Error(`nothing begins before {{ ${rest[0]?.code} }}`)
  return write(nodes, { $: root }, true)
}

type Token = Pick<Node, 'text' | 'code'>

function tokensOf(source: string): Token[] {
  const tokens: Token[] = []
  let [end, trims] = [0, false]
  const addText = (text: string, trimsEnd: boolean) => {
    const begun = trims ? text.trimStart() : text
    tokens.push({ text: trimsEnd ? begun.trimEnd() : begun })
  }
  for (const match of source.matchAll(ACTION)) {
    addText(source.slice(end, match.index), match[1] === '-')
    tokens.push({ code: match[2]! })
    end = match.index + match[0].length
    trims = match[3] === '-'
  }
  addText(source.slice(end), false)
  if (tokens.some(({ text }) => text?.includes('{{'))) throw new Error('write {{ and }} with a space inside')
  return tokens
}

/** Reads to the `else` or `end` of a block, which is the first of the remaining tokens. */
function read(tokens: readonly Token[]): [Node[], readonly Token[]] {
  const nodes: Node[] = []
  let rest = tokens
  while (rest.length > 0) {
    const [{ text, code = '' }] = rest as [Token]
    if (text === undefined && (code === 'else' || code === 'end')) break
    rest = rest.slice(1)
    if (text !== undefined) nodes.push({ text, body: [], otherwise: [] })
    else if (/^(if|range) /.test(code)) {
      const node: Node = { code, body: [], otherwise: [] }
      rest = readBlock(node, rest)
      nodes.push(node)
    } else nodes.push({ code, body: [], otherwise: [] })
  }
  return [nodes, rest]
}

function readBlock({ code, body, otherwise }: Node, tokens: readonly Token[]): readonly Token[] {
  let [nodes, rest] = read(tokens)
  body.push(...nodes)
  if (rest[0]?.code === 'else') {
    ;[nodes, rest] = read(rest.slice(1))
    otherwise.push(...nodes)
  }
  if (rest[0]?.code !== 'end') throw new Error(`{{ ${code} }} has no end`)
  return rest.slice(1)
}

/** @param isRoot inside of `range` a path that begins with a dot would be of the element */
function write(nodes: readonly Node[], scope: Scope, isRoot: boolean): string {
  return nodes
    .map(({ text, code = '', body, otherwise }) => {
      if (text !== undefined) return text
      if (code.startsWith('if ')) {
        const chosen = isTrue(evaluate(code.slice(3), scope, isRoot)) ? body : otherwise
        return write(chosen, scope, isRoot)
      }
      if (code.startsWith('range ')) return writeRange(code, body, scope, isRoot)
      return String(required(code, evaluate(code, scope, isRoot)))
    })
    .join('')
}

function writeRange(code: string, body: readonly Node[], scope: Scope, isRoot: boolean): string {
  const [, key, value, over = ''] = /^range (\$\w+), (\$\w+) := (.+)$/.exec(code) ?? []
  if (key === undefined || value === undefined) throw new Error(`write "range $key, $value := …", not "${code}"`)
  const map = evaluate(over, scope, isRoot) ?? {}
  if (!isMap(map)) throw new Error(`${over} is no map`)
  // Go goes through a map in the order of its keys.
  return Object.keys(map)
    .toSorted()
    .map((name) => write(body, { ...scope, [key]: name, [value]: map[name] }, false))
    .join('')
}

type Call = (...parameters: Value[]) => Value

const FUNCTIONS: Readonly<Record<string, Call>> = {
  // Go sorts keys and escapes these three signs for HTML.
  toJson: (value) =>
    canonicalJson(value).replace(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16).padStart(2, '0')}`),
  sha256sum: (text) => createHash('sha256').update(String(text)).digest('hex'),
  quote: (text) => JSON.stringify(String(text)),
  join: (separator, list) => (list as string[]).join(String(separator)),
  default: (otherwise, value) => (isTrue(value) ? value : otherwise),
  add: (...numbers) => numbers.reduce<number>((sum, number) => sum + Number(number), 0),
}

/** A path, a literal, or a function with such parameters, which may be calls in parentheses. */
function evaluate(code: string, scope: Scope, isRoot: boolean): Value {
  const tokens = code.match(TOKEN) ?? []
  if (tokens.join('') !== code.replace(/ (?=(?:[^"]*"[^"]*")*[^"]*$)/g, '')) throw new Error(`what is "${code}"?`)
  let at = 0
  const parameter = (): Value => {
    const token = tokens[at++]
    if (token === undefined) throw new Error(`"${code}" ends early`)
    if (token === '(') {
      const value = expression()
      if (tokens[at++] !== ')') throw new Error(`"${code}" has an open parenthesis`)
      return value
    }
    if (token.startsWith('"')) return token.slice(1, -1)
    return /^\d+$/.test(token) ? Number(token) : lookUp(token, scope, isRoot)
  }
  const expression = (): Value => {
    const call = FUNCTIONS[tokens[at] ?? '']
    if (call === undefined) return parameter()
    const name = tokens[at++]!
    const parameters: Value[] = []
    while (at < tokens.length && tokens[at] !== ')') parameters.push(parameter())
    if (name !== 'default' || parameters.length !== 2) for (const value of parameters) required(code, value)
    return call(...parameters)
  }
  const value = expression()
  if (at < tokens.length) throw new Error(`"${code}" goes on after its end`)
  return value
}

function lookUp(path: string, scope: Scope, isRoot: boolean): Value {
  const [first = '', ...names] = path.split('.')
  if (first === '' && !isRoot) throw new Error(`inside of range write $${path}`)
  const start = scope[first === '' ? '$' : first]
  if (start === undefined) throw new Error(`there is no ${path}`)
  return names.reduce<Value>((value, name) => (isMap(value) ? value[name] : undefined), start)
}

function required(code: string, value: Value): Value {
  if (value === undefined || value === null) throw new Error(`"${code}" is of a value that is not there`)
  return value
}

const isMap = (value: Value): value is Record<string, Value> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** As Go has it: empty ones are false. */
const isTrue = (value: Value): boolean =>
  Array.isArray(value) ? value.length > 0 : isMap(value) ? Object.keys(value).length > 0 : Boolean(value)
