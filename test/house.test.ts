import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { circlesOf } from './setup/checks/circles.ts'
import { functionsOf } from './setup/checks/functions.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const MAX_FUNCTION_LINES = 40

/** Top to bottom. A room imports from rooms below it, and from rooms of its own floor as long as no circle comes of it. */
const FLOORS: readonly (readonly string[])[] = [
  ['main', 'cli', 'server', 'console'],
  ['rest', 'openai', 'elevenlabs', 'graphql'],
  ['speech'],
  ['backup', 'doctor'],
  ['worker', 'runtime'],
  ['webhooks'],
  ['producers', 'models', 'projects'],
  ['voice', 'generation', 'companion'],
  ['jobs'],
  ['callers'],
  ['api-keys', 'users'],
  ['catalog'],
  ['library', 'lexicon'],
  ['accounts'],
  ['audit'],
  ['context'],
  ['queue', 'http'],
  ['engines', 'audio', 'storage', 'db', 'idempotency', 'access', 'oidc'],
  ['telemetry'],
  ['egress', 'concurrency'],
  ['errors', 'values', 'reading'],
]
const FLOOR_OF = new Map(FLOORS.flatMap((rooms, floor) => rooms.map((room) => [room, floor] as const)))

/** The rooms that import each library, types included. */
const ROOMS_OF: Readonly<Record<string, string>> = {
  '@echogarden/espeak-ng-emscripten': 'engines',
  '@fastify/busboy': 'http',
  '@fastify/static': 'server',
  '@fastify/websocket': 'graphql, http',
  '@graphql-yoga/render-graphiql': 'graphql',
  '@lezer/markdown': 'voice',
  '@libav.js/variant-default': 'audio',
  '@libav.js/variant-mediarecorder-transcoder': 'audio',
  '@opentelemetry/api': 'telemetry',
  '@opentelemetry/exporter-trace-otlp-http': 'telemetry',
  '@opentelemetry/resources': 'telemetry',
  '@opentelemetry/sdk-trace-node': 'telemetry',
  '@pothos/core': 'graphql',
  '@pothos/plugin-errors': 'graphql',
  '@pothos/plugin-prisma': 'graphql',
  '@pothos/plugin-relay': 'graphql',
  '@preact/signals': 'console',
  '@prisma/adapter-pg': 'db',
  '@prometheus-io/client': 'telemetry',
  '@wasm-audio-decoders/ogg-vorbis': 'audio',
  ajv: 'catalog, rest',
  'ajv-formats': 'catalog',
  'any-ascii': 'reading',
  aws4fetch: 'storage',
  'cli-progress': 'cli',
  'client-zip': 'voice',
  commander: 'cli',
  dataloader: 'concurrency',
  fastify: 'elevenlabs, graphql, http, openai, rest, server, speech',
  fflate: 'console',
  graphql: 'graphql',
  'graphql-ws': 'console, graphql, http',
  'graphql-yoga': 'graphql',
  htmlparser2: 'console',
  'json-schema-to-typescript': 'rest',
  'lindera-wasm-nodejs-ipadic': 'engines',
  'lru-cache': 'catalog, concurrency, lexicon, webhooks',
  marked: 'console, server',
  'modern-tar': 'models',
  'mpg123-decoder': 'audio',
  'openapi-backend': 'rest',
  'openapi-types': 'rest',
  'openid-client': 'oidc',
  pg: 'backup, db, jobs, queue, webhooks',
  'pg-boss': 'queue',
  'pg-copy-streams': 'backup, db',
  pino: 'values',
  preact: 'console',
  'preact-iso': 'console',
  selfsigned: 'webhooks',
  sentencex: 'voice',
  tinyld: 'engines',
  'typeid-js': 'queue, values',
  'unbzip2-stream': 'models',
  undici: 'egress, engines, generation, webhooks, worker',
  uplot: 'console',
  'wasm-media-encoders': 'audio',
  yaml: 'catalog, cli, models, rest, worker',
  zod: 'backup, catalog, context, engines, models, worker',
}

/** Prints which of the files on its standard input Node.js cannot parse once their types are stripped. */
const PARSE = `
  const [{ readFileSync }, { stripTypeScriptTypes }, { SourceTextModule }] = ['fs', 'module', 'vm'].map(require)
  const parse = (file) => new SourceTextModule(stripTypeScriptTypes(readFileSync(file, 'utf8')))
  const wrong = (file) => { try { return void parse(file) } catch (error) { return file + ': ' + error.message } }
  console.log(JSON.stringify(JSON.parse(readFileSync(0, 'utf8')).map(wrong).filter(Boolean)))`

const TRACKED = listFiles(['src', 'rest', 'test', 'bench', 'examples', 'prisma', 'codegen.ts'])
const SOURCES = TRACKED.filter((file) => /^(src|rest)\/.*\.tsx?$/.test(file) && !isGenerated(file))

interface Import {
  readonly file: string
  readonly target: string
}

const IMPORTS: readonly Import[] = SOURCES.flatMap((file) => importsOf(file).map((target) => ({ file, target })))
const INNER = IMPORTS.filter(({ target }) => /^(src|rest)\//.test(target) && !isGenerated(target))
const BETWEEN_ROOMS = INNER.filter(({ file, target }) => roomOf(file) !== roomOf(target))

describe('the house', () => {
  test('every room has a floor', () => {
    const rooms = new Set(SOURCES.map(roomOf))
    expect([...rooms].filter((room) => !FLOOR_OF.has(room))).toEqual([])
  })

  test('no file imports from a floor above its own, types included', () => {
    const upward = BETWEEN_ROOMS.filter(({ file, target }) => floorOf(file) > floorOf(target))
    expect(upward).toEqual([])
  })

  test('no files import each other in a circle', () => {
    expect(circlesOf(INNER.map(({ file, target }) => [file, target]))).toEqual([])
  })

  test('no rooms import each other in a circle', () => {
    expect(circlesOf(BETWEEN_ROOMS.map(({ file, target }) => [roomOf(file), roomOf(target)]))).toEqual([])
  })

  test('no folders of what tests set up import each other in a circle', () => {
    const setUp = TRACKED.filter((file) => /^test\/setup\/.*\.ts$/.test(file))
    const edges = setUp.flatMap((file) => importsOf(file).map((target) => [dirname(file), dirname(target)] as const))
    expect(circlesOf(edges.filter(([from, to]) => from !== to && to.startsWith('test/setup')))).toEqual([])
  })

  test('every library is imported only in its rooms', () => {
    const inUse = IMPORTS.filter(({ target }) => !/^(src|rest|prisma\/|package\.json$|node:)/.test(target))
    const rooms = Map.groupBy(inUse, ({ target }) => packageOf(target))
    const roomsOf = (uses: readonly Import[]) => [...new Set(uses.map(({ file }) => roomOf(file)))].sort().join(', ')
    expect(Object.fromEntries([...rooms].map(([name, uses]) => [name, roomsOf(uses)]))).toEqual(ROOMS_OF)
  })

  test('Prisma Client and connections to PostgreSQL are made in db alone, but for the restore of a backup', () => {
    const connects =
      /new (PrismaClient|SessionClient)\(|^import (?!type)[^']*[{,]\s+(Pool|Client)\b[^']*from 'pg'|^import pg from 'pg'/m
    const makers = SOURCES.filter((file) => connects.test(read(file)))
    expect(makers.filter((file) => roomOf(file) !== 'db')).toEqual(['src/backup/restore.ts'])
    expect(makers).toContain('src/db/database.ts')
  })

  test('no door reads or writes the database', () => {
    const doors = SOURCES.filter((file) => ['rest', 'openai', 'elevenlabs', 'graphql'].includes(roomOf(file)))
    // A prismaNode reads by an id, past the verb that knows who may see the row.
    const touching = /\bprisma\.|\bprismaNode\b|\.query[<(]|\b(longRead|longScan|in(Retried)?Transaction)\b/
    expect(doors.filter((file) => touching.test(read(file)))).toEqual([])
  })

  test('end-jobs.ts is the only writer of a terminal state', () => {
    // Matches an update, a merge, or an insert that updates, whatever the table is called.
    const statement = /\b(update|into)\s+(only\s+)?("?\w+"?\s*\.\s*)?"?job\b[^`]*?/
    const state = /\bstatus"?\s*=\s*('(completed|failed)'|\$|(excluded|done)\b)/
    const writes = new RegExp(`${statement.source}${state.source}|\\bjob\\.(update|upsert)\\w*\\(`, 'i')
    expect(SOURCES.filter((file) => writes.test(read(file)))).toEqual(['src/jobs/lifecycle/end-jobs.ts'])
  })

  test('the rules for contributors show these floors', () => {
    const shown = /imports go down.*?```text\n(.*?)```/s.exec(read('docs/contributing.md'))?.[1] ?? ''
    const floors = shown
      .trim()
      .split('\n')
      .map((line) => line.replace(/ \(.*\)/, '').split(', '))
    expect(floors.map((rooms) => rooms.toSorted())).toEqual(FLOORS.map((rooms) => rooms.toSorted()))
  })

  test('what runs imports only what an installation without development packages has', () => {
    const { dependencies, optionalDependencies } = JSON.parse(read('package.json'))
    const installed = new Set(Object.keys({ ...dependencies, ...optionalDependencies }))
    // The first runs only where the sources are changed; the console is bundled at the installation, with what it imports.
    const files = [...SOURCES, ...listFiles(['bin'])].filter(
      (file) => file !== 'rest/generate-types.ts' && roomOf(file) !== 'console',
    )
    const missing = files.flatMap((file) =>
      packagesOf(file).flatMap((name) => (installed.has(name) ? [] : [`${file}: ${name}`])),
    )
    expect(missing).toEqual([])
  })

  test("only queue/pgboss names the queue's tables", () => {
    const named = SOURCES.filter((file) => !file.startsWith('src/queue/pgboss/') && /\bpgboss"?\s*\./i.test(read(file)))
    expect(named).toEqual([])
  })

  test('other rooms enter the queue by its door', () => {
    const opens = /^src\/(runtime|cli)\//
    const inside = BETWEEN_ROOMS.filter(
      ({ file, target }) => target.startsWith('src/queue/pgboss/') && !opens.test(file),
    )
    // Other modules call these or make them part of their own statements.
    const isStatement = ({ file, target }: Import) =>
      target.endsWith('/queue-depth.ts') ||
      (file === 'src/jobs/lifecycle/end-jobs.ts' && target.endsWith('/dequeue.ts'))
    expect(inside.filter((one) => !isStatement(one))).toEqual([])
  })

  test('the console knows nothing of src but its own operations, and nothing imports it', () => {
    const across = BETWEEN_ROOMS.filter(({ file, target }) => [roomOf(file), roomOf(target)].includes('console'))
    const typeImports = IMPORTS.filter(({ file, target }) => roomOf(file) === 'console' && target.startsWith('node:'))
    expect([...across, ...typeImports]).toEqual([])
  })

  test('only the file of a door knows a door', () => {
    const wrong = INNER.filter(({ file, target }) => roomOf(file) !== 'graphql' && target.endsWith('-graphql.ts'))
    expect(wrong).toEqual([])
  })

  test('Node.js can load every file, tests included: it strips types, and is stricter than what checks them', () => {
    const input = JSON.stringify(TRACKED.filter((file) => file.endsWith('.ts')))
    const flags = ['--experimental-vm-modules', '--no-warnings']
    const wrong = execFileSync(process.execPath, [...flags, '-e', PARSE], { cwd: ROOT, input, encoding: 'utf8' })
    expect(JSON.parse(wrong)).toEqual([])
  })

  test('what a file exports, another one imports', () => {
    const files = listFiles(['bin', 'bench', 'codegen.ts', 'examples', 'packaging', 'rest', 'src', 'test'])
    const imported = new Set(files.filter((file) => /\.(tsx?|m?js)$/.test(file)).flatMap(namesImportedBy))
    const unused = SOURCES.flatMap((file) =>
      [...read(file).matchAll(/^export (?:async )?(?:function|class|const|let|interface|type) (\w+)/gm)]
        .map(([, name]) => `${file} ${name}`)
        .filter((one) => !imported.has(one) && !imported.has(`${file} *`)),
    )
    expect(unused).toEqual([])
  })

  test('every environment variable is read in one place', () => {
    const readers = SOURCES.filter((file) => roomOf(file) !== 'console' && /process\.env\b/.test(read(file)))
    // A server that is started needs a PATH to find its programs on.
    const others = readers.filter((file) => !file.startsWith('src/cli/') && basename(file) !== 'embedded-launcher.ts')
    expect(others).toEqual([])
  })

  test('a test that stops the clock sets it going again: other files run in the same process', () => {
    const stopping = TRACKED.filter((file) => /^test\/.*\.ts$/.test(file) && /\bvi\.useFakeTimers\(/.test(read(file)))
    expect(stopping.filter((file) => !/\bvi\.useRealTimers\(/.test(read(file)))).toEqual([])
  })
})

describe('sizes', () => {
  test(`the linter refuses functions of more than ${MAX_FUNCTION_LINES} lines, and no source has an exception`, () => {
    const limit = { level: 'error', options: { maxLines: MAX_FUNCTION_LINES } }
    expect(JSON.parse(read('.biome.json')).overrides).toContainEqual({
      includes: ['src/**', 'rest/**'],
      linter: { rules: { complexity: { noExcessiveLinesPerFunction: limit } } },
    })
    expect(SOURCES.filter((file) => /biome-ignore(-all|-start)? lint\/complexity/.test(read(file)))).toEqual([])
  })

  test(`no function is longer, with its markup and its parameters`, () => {
    const long = SOURCES.filter((file) => /\.tsx?$/.test(file)).flatMap((file) =>
      functionsOf(file, read(file)).flatMap(({ line, lines }) =>
        lines > MAX_FUNCTION_LINES ? [`${file}:${line} ${lines}`] : [],
      ),
    )
    expect(long).toEqual([])
  })

  test('all versions are pinned and at most 15 scripts are there', () => {
    const { dependencies, devDependencies, optionalDependencies, scripts } = JSON.parse(read('package.json'))
    const versions = Object.values({ ...dependencies, ...devDependencies, ...optionalDependencies })
    expect(versions.filter((version) => !/^(npm:\w+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(String(version)))).toEqual([])
    expect(Object.keys(scripts).length).toBeLessThanOrEqual(15)
  })
})

describe('names', () => {
  test('no file is a drawer for anything', () => {
    const drawers = SOURCES.filter((file) =>
      /^(index|utils?|helpers?|common|manager|misc|types)\.ts$/.test(basename(file)),
    )
    expect(drawers).toEqual([])
  })

  test('no file cites a document that the repository lacks', () => {
    const cited =
      /(?<!docs\/)\b(spec|contract|invariants|architecture|operations|speech|console|stack|engines)\.md\b|\bspec(ification)? \d|^(?!.*\bRFC \d).*\bsections? \d/im
    const readable = TRACKED.filter(
      (file) => /\.(tsx?|yaml|prisma|sql|graphql|service)$/.test(file) && file !== 'test/house.test.ts',
    )
    expect([...readable, 'README.md'].filter((file) => cited.test(read(file)))).toEqual([])
  })
})

/** A *-graphql.ts belongs to the GraphQL door, wherever its noun lies. */
function roomOf(file: string): string {
  if (file.endsWith('-graphql.ts')) return 'graphql'
  if (file.startsWith('rest/')) return 'rest'
  return file === 'src/main.ts' ? 'main' : (file.split('/')[1] ?? '')
}

function floorOf(file: string): number {
  return FLOOR_OF.get(roomOf(file)) ?? Number.NaN
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8')
}

function listFiles(folders: readonly string[]): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', ...folders]
  return execFileSync('git', args, { cwd: ROOT })
    .toString()
    .split('\n')
    .filter((file) => file !== '' && existsSync(join(ROOT, file)))
}

function importsOf(file: string): string[] {
  const pattern = /^(?:import|export)\b[^'"]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm
  const targets = [...read(file).matchAll(pattern)].map((match) => match[1] ?? match[2] ?? match[3] ?? '')
  return targets.map((target) =>
    target.startsWith('.') ? relative(ROOT, resolve(ROOT, dirname(file), target)) : target,
  )
}

/** The local imports of a file, each as `file name`; `file *` for all of one. */
function namesImportedBy(file: string): string[] {
  const pattern = /^(?:import|export) (?:type )?(?:\{([^}]*)\}|\* as \w+) from '(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm
  return [...read(file).matchAll(pattern)].flatMap(([, names = '*', from, loaded]) => {
    const target = relative(ROOT, resolve(ROOT, dirname(file), from ?? loaded ?? ''))
    return names.split(',').map((name) => `${target} ${name.trim().replace(/^type | as .*/g, '')}`)
  })
}

/** The packages that a file imports when it runs: types are gone by then. */
function packagesOf(file: string): string[] {
  const pattern =
    /^(?:import|export)\b(?! type)[^'"]*?from '([^'.][^']*)'|^import '([^'.][^']*)'|\b(?:import|resolve|require)\('([^'.][^']*)'\)/gm
  const names = [...read(file).matchAll(pattern)].map((match) => match[1] ?? match[2] ?? match[3] ?? '')
  return names.filter((name) => !name.startsWith('node:')).map(packageOf)
}

function packageOf(target: string): string {
  return target.split('/', target.startsWith('@') ? 2 : 1).join('/')
}

function isGenerated(file: string): boolean {
  const ofConsole = ['src/console/operations.ts', 'src/console/webhooks/verify-snippets.ts']
  return ['rest/types.ts', ...ofConsole].includes(file) || file.startsWith('prisma/generated/')
}
