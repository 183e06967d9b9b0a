import { execFile } from 'node:child_process'
import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { GOALS } from '../../goals.ts'
import { atMost, type Row } from '../../measure.ts'
import { ROOT } from '../../process.ts'

const run = promisify(execFile)
/** Files that `npm ci` and its postinstall read. */
const SOURCES = [
  'package.json',
  'package-lock.json',
  '.npmrc',
  'bin',
  'codegen.ts',
  'packaging',
  'src',
  'tsconfig.json',
]
const TIMEOUT_MS = 180_000
const { seconds: LIMIT_SECONDS, wholeMb: WHOLE_MB, productionMb: PRODUCTION_MB } = GOALS.install

/** `npm ci` into a copy of the package files, and what node_modules then takes on the disk. A run that misses is repeated once: it may have found npm's cache cold. */
export const install: Row = {
  name: 'install',
  what: 'npm ci from a warm cache, size of node_modules',
  reach: `<= ${LIMIT_SECONDS} s, <= ${WHOLE_MB} MB, without development packages <= ${PRODUCTION_MB} MB`,
  run: async (environment) => {
    const copy = await environment.directory()
    for (const source of SOURCES) await cp(join(ROOT, source), join(copy, source), { recursive: true })
    let seconds = await installIn(copy)
    if (seconds > LIMIT_SECONDS) seconds = await installIn(copy)
    const whole = await sizeOf(copy)
    await installIn(copy, '--omit=dev')
    const production = await sizeOf(copy)
    await rm(join(copy, 'node_modules'), { recursive: true })
    const measures = [
      atMost('npm ci', 's', seconds, LIMIT_SECONDS),
      atMost('node_modules', 'MB', whole, WHOLE_MB),
      atMost('node_modules, --omit=dev', 'MB', production, PRODUCTION_MB),
    ]
    return { name: 'install', measures, notes: [] }
  },
}

async function sizeOf(directory: string): Promise<number> {
  const { stdout } = await run('du', ['-sm', join(directory, 'node_modules')])
  return Number.parseInt(stdout, 10)
}

async function installIn(directory: string, ...flags: string[]): Promise<number> {
  const started = performance.now()
  const installing = run('npm', ['ci', '--no-audit', '--no-fund', ...flags], {
    cwd: directory,
    env: shell(),
    timeout: TIMEOUT_MS,
  })
  const kill = () => installing.child.kill()
  process.once('exit', kill)
  await installing.finally(() => process.off('exit', kill))
  return (performance.now() - started) / 1000
}

/** With proxies and certificates as npm needs them, but without what `npm run` tells its children: that names this project. */
const shell = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.toLowerCase().startsWith('npm_')))
