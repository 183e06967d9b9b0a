import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, globSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// Writes every generated file. `--check` writes nothing and fails where a committed one differs; `--install` makes what is not
// committed (the Prisma client, the OpenAPI document as JSON, the `sonant` command) and takes out of node_modules what nothing here uses.

const ROOT = fileURLToPath(new URL('.', import.meta.url))
/** 120 MB that nothing here uses: C headers for native addons, and Prisma's query compilers for other databases. */
const UNUSED = [
  'node_modules/node/node_modules/node-*/include',
  'node_modules/@prisma/client/runtime/query_compiler_*_bg.{cockroachdb,mysql,sqlite,sqlserver}.*',
]
const mode = process.argv[2]

generatePrisma()
await compileDocument()
if (mode === '--install') finishInstall()
else await generateCommitted(mode === '--check')

/**
 * Prisma's command line loads its studio and its local server, some 135 MB that `generate` never uses: package.json leaves them out,
 * and this gives it empty modules instead. The engine variable keeps it from downloading a binary that nothing here runs.
 */
function generatePrisma(): void {
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
    require('./node_modules/prisma/build/index.js')`
  const { status, stderr, stdout } = spawnSync(process.execPath, ['-e', hook, 'generate'], {
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
  if (status !== 0) fail(`prisma generate failed\n${stdout}${stderr}`)
}

function finishInstall(): void {
  for (const path of UNUSED.flatMap((pattern) => globSync(pattern, { cwd: ROOT }))) {
    rmSync(`${ROOT}${path}`, { recursive: true, force: true })
  }
  linkCommand()
}

/** npm links the commands of dependencies only. Without this, `npx sonant` would first install this folder into a cache of its own. */
function linkCommand(): void {
  const link = `${ROOT}node_modules/.bin/sonant`
  rmSync(link, { force: true })
  symlinkSync('../../src/main.ts', link)
  chmodSync(`${ROOT}src/main.ts`, 0o755)
}

/** What rest/document.ts reads. */
async function compileDocument(): Promise<void> {
  const { parse } = await import('yaml')
  const document = parse(readFileSync(`${ROOT}rest/openapi.yaml`, 'utf8'))
  writeFileSync(`${ROOT}src/generated/openapi.json`, JSON.stringify(document))
}

async function generateCommitted(check: boolean): Promise<void> {
  const { generateRestTypes } = await import('./rest/generate-types.ts')
  const { generateExampleTypes } = await import('./examples/generate-types.ts')
  const { readExamples } = await import('./src/graphql/examples.ts')
  const { buildGraphqlSchema, printGraphqlSchema } = await import('./src/graphql/schema.ts')
  const files = {
    'schema.graphql': printGraphqlSchema(),
    'examples/graphql-types.ts': await generateExampleTypes(buildGraphqlSchema(), await readExamples()),
    'rest/types.ts': await generateRestTypes(readFileSync(`${ROOT}rest/openapi.yaml`, 'utf8')),
  }
  for (const [name, content] of Object.entries(files)) {
    const path = `${ROOT}${name}`
    const current = existsSync(path) ? readFileSync(path, 'utf8') : ''
    if (current === content) continue
    if (check) fail(`${name} is out of date: run "npm run codegen"`)
    writeFileSync(path, content)
  }
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
