import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Env, makeTempDir, type Ran, run } from './process.ts'

/** The line of a thread begins with this. */
const THREAD = 'thread:'

// Loaded into the command by NODE_OPTIONS: writes down every module that it loads and every thread that it starts, a URL a line.
const RECORDER = `
import { appendFileSync } from 'node:fs'
import { registerHooks, syncBuiltinESMExports } from 'node:module'
import threads from 'node:worker_threads'
const note = (line) => appendFileSync(process.env.LOADED_MODULES, line + '\\n')
registerHooks({
  load: (url, context, next) => {
    if (!url.startsWith('node:')) note(url)
    return next(url, context)
  },
})
threads.Worker = class extends threads.Worker {
  constructor(url, options) {
    note('${THREAD}' + url)
    super(url, options)
  }
}
syncBuiltinESMExports()
`

/** `env` lets a process write down what it loads; `modules` reads that, a URL each. */
export async function recordModules(): Promise<{ env: Record<string, string>; modules: () => Promise<string[]> }> {
  const directory = await makeTempDir()
  const recorder = join(directory, 'recorder.mjs')
  const list = join(directory, 'modules')
  await writeFile(recorder, RECORDER)
  await writeFile(list, '')
  return {
    env: { NODE_OPTIONS: `--import=${pathToFileURL(recorder).href}`, LOADED_MODULES: list },
    modules: async () => (await readFile(list, 'utf8')).split('\n').filter((line) => line !== ''),
  }
}

/** Runs a command, and tells which modules it loaded: a measure of its start that no load on the machine changes. */
export async function runRecorded(args: string[], env: Env): Promise<Ran & { modules: string[] }> {
  const recorded = await recordModules()
  const ran = await run(args, { ...env, ...recorded.env })
  return { ...ran, modules: await recorded.modules() }
}

/** The packages that modules belong to. */
export const packagesOf = (modules: readonly string[]): string[] => [
  ...new Set(modules.flatMap((url) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? [])),
]
