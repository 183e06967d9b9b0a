import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Writes every generated file. All of them are committed, so that an installation without development packages runs. `--check` writes
// nothing and fails where one differs; `--install` links the `sonant` command and builds the web console, which is not committed.

const ROOT = fileURLToPath(new URL('.', import.meta.url))
const CLIENT = 'prisma/generated'

/** What rest/document.ts reads. */
const DOCUMENT = 'rest/openapi.json'
const OPENAI_DOCUMENT = 'src/openai/openapi.json'

/** Content by path from the project's root; null: there is no such file any more. */
type Files = Readonly<Record<string, string | null>>

const mode = process.argv[2]
if (mode === '--install') await install()
else await generate(mode === '--check' ? check : write)

/** The schema of the API is built on the client, which has to be there first. */
async function generate(use: (files: Files) => void): Promise<void> {
  const client = generateClient()
  const gone = Object.keys(readFolder(ROOT)).filter((path) => client[path] === undefined)
  use({ ...Object.fromEntries(gone.map((path) => [path, null])), ...client })
  use(await describeApi())
}

async function describeApi(): Promise<Files> {
  const { generateRestTypes } = await import('./rest/generate-types.ts')
  const { generateDashboardTypes, generateExampleTypes, generateSchemaTypes } = await import(
    './examples/generate-types.ts'
  )
  const { generateCommandLine } = await import('./packaging/generate-command-line.ts')
  const { generateConfiguration } = await import('./packaging/generate-configuration.ts')
  const { generateOperations } = await import('./packaging/generate-operations.ts')
  const { generateKubernetes } = await import('./packaging/render-chart.ts')
  const { generateSnippets } = await import('./packaging/generate-snippets.ts')
  const { readExamples } = await import('./src/graphql/http/examples.ts')
  const { graphqlSchema, printGraphqlSchema } = await import('./src/graphql/schema.ts')
  const { parse } = await import('yaml')
  const document = readFileSync(`${ROOT}rest/openapi.yaml`, 'utf8')
  return {
    'schema.graphql': printGraphqlSchema(),
    'examples/graphql-types.ts': await generateExampleTypes(graphqlSchema, await readExamples()),
    'examples/graphql-clients/schema-types.ts': generateSchemaTypes(graphqlSchema),
    ...(await generateDashboardTypes(graphqlSchema)),
    'src/console/operations.ts': await generateOperations(graphqlSchema),
    'src/console/webhooks/verify-snippets.ts': generateSnippets(),
    'examples/kubernetes/sonant.yaml': generateKubernetes(),
    'docs/configuration.md': generateConfiguration(),
    'docs/command-line.md': generateCommandLine(),
    'rest/types.ts': await generateRestTypes(document),
    [DOCUMENT]: JSON.stringify(parse(document)),
    [OPENAI_DOCUMENT]: JSON.stringify(parse(readFileSync(`${ROOT}src/openai/openapi.yaml`, 'utf8'))),
  }
}

function check(files: Files): void {
  for (const [path, content] of Object.entries(files))
    if (current(path) !== content) fail(`${path} is out of date: run "npm run codegen"`)
}

function write(files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    if (current(path) === content) continue
    mkdirSync(dirname(ROOT + path), { recursive: true })
    if (content === null) rmSync(ROOT + path)
    else writeFileSync(ROOT + path, content)
  }
}

function current(path: string): string | null {
  return existsSync(ROOT + path) ? readFileSync(ROOT + path, 'utf8') : null
}

function readFolder(root: string): Readonly<Record<string, string>> {
  if (!existsSync(join(root, CLIENT))) return {}
  const entries = readdirSync(join(root, CLIENT), { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Object.fromEntries(paths.map((path) => [path.slice(root.length), readFileSync(path, 'utf8')]))
}

/** Prisma writes where the schema says, which is relative to the schema: it is given a copy in a folder of its own. */
function generateClient(): Files {
  const folder = `${mkdtempSync(join(tmpdir(), 'sonant-codegen-'))}/`
  try {
    cpSync(`${ROOT}prisma/schema.prisma`, `${folder}prisma/schema.prisma`)
    runPrisma('generate', '--schema', `${folder}prisma/schema.prisma`)
    return readFolder(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/**
 * Prisma's command line loads its studio and its local server, some 135 MB that `generate` never uses: package.json leaves them out,
 * and this gives it empty modules instead. The engine variable keeps it from downloading a binary that nothing here runs.
 */
function runPrisma(...parameters: string[]): void {
  const hook = `
    const { registerHooks } = require('node:module')
    const left = (name) => /^@prisma\\/(studio-core|dev)(\\/|$)/.test(name)
    registerHooks({
      resolve: (name, context, next) =>
        left(name) ? { url: 'left-out:' + name, format: 'commonjs', shortCircuit: true } : next(name, context),
      load: (url, context, next) =>
        url.startsWith('left-out:') ? { format: 'commonjs', source: 'module.exports = {}', shortCircuit: true } : next(url, context),
    })
    process.argv.splice(1, 0, 'prisma')
    require('./node_modules/prisma-cli/build/index.js')`
  const { status, stderr, stdout } = spawnSync(process.execPath, ['-e', hook, ...parameters], {
    cwd: ROOT,
    encoding: 'utf8',
    env: {
      ...process.env,
      PATH: `${ROOT}node_modules/.bin:${process.env.PATH}`,
      PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true',
      CHECKPOINT_DISABLE: '1',
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
    },
  })
  if (status !== 0) fail(`prisma ${parameters[0]} failed\n${stdout}${stderr}`)
}

async function install(): Promise<void> {
  linkCommand()
  const { buildConsole } = await import('./packaging/build-console.ts')
  if (await buildConsole()) return
  process.stdout.write(
    'The web console was not built: that takes the development packages (npm ci without --omit=dev).\n',
  )
}

/** npm links the commands of dependencies only. Where package.json named it, npx would install this folder into a cache of its own first. */
function linkCommand(): void {
  const link = `${ROOT}node_modules/.bin/sonant`
  rmSync(link, { force: true })
  symlinkSync('../../bin/sonant.js', link)
  chmodSync(`${ROOT}bin/sonant.js`, 0o755)
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
