import { execFile } from 'node:child_process'
import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Row } from '../measure.ts'
import { ROOT } from '../process.ts'

const run = promisify(execFile)
/** What `npm ci` and its postinstall read. */
const SOURCES = ['package.json', 'package-lock.json', '.npmrc', 'codegen.ts', 'prisma', 'src', 'rest']
const TIMEOUT_MS = 180_000
const LIMIT_SECONDS = 60
const LIMIT_MIB = 650

/** `npm ci` into a copy of the package files, and what node_modules then takes on the disk. A run that misses is repeated once: it may have found npm's cache cold. */
export const install: Row = {
  name: 'install',
  what: 'npm ci from a warm cache, size of node_modules',
  reach: '<= 60 s, <= 650 MB',
  run: async (environment) => {
    const copy = await environment.directory()
    for (const source of SOURCES) await cp(join(ROOT, source), join(copy, source), { recursive: true })
    let seconds = await installIn(copy)
    if (seconds > LIMIT_SECONDS) seconds = await installIn(copy)
    const { stdout } = await run('du', ['-sm', join(copy, 'node_modules')])
    const size = Number.parseInt(stdout, 10)
    await rm(join(copy, 'node_modules'), { recursive: true })
    const common = { floor: null, ratio: null }
    const time = { what: 'npm ci', unit: 's', value: seconds, reach: '<= 60 s', reached: seconds <= LIMIT_SECONDS }
    const weight = { what: 'node_modules', unit: 'MB', value: size, reach: '<= 650 MB', reached: size <= LIMIT_MIB }
    return {
      name: 'install',
      measures: [
        { ...common, ...time },
        { ...common, ...weight },
      ],
      notes: [],
    }
  },
}

async function installIn(directory: string): Promise<number> {
  const started = performance.now()
  const installing = run('npm', ['ci', '--no-audit', '--no-fund'], {
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
