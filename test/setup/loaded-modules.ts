import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Env, makeTempDir, type Ran, run } from './process.ts'

// Loaded into the command by NODE_OPTIONS: writes down every module that it loads, a URL a line.
const RECORDER = `
import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
registerHooks({
  load: (url, context, next) => {
    if (!url.startsWith('node:')) appendFileSync(process.env.LOADED_MODULES, url + '\\n')
    return next(url, context)
  },
})
`

/** Runs a command, and tells which modules it loaded: a measure of its start that no load on the machine changes. */
export async function runRecorded(args: string[], env: Env): Promise<Ran & { modules: string[] }> {
  const directory = await makeTempDir()
  const recorder = join(directory, 'recorder.mjs')
  const list = join(directory, 'modules')
  await writeFile(recorder, RECORDER)
  await writeFile(list, '')
  const options = { NODE_OPTIONS: `--import=${pathToFileURL(recorder).href}`, LOADED_MODULES: list }
  const ran = await run(args, { ...env, ...options })
  return { ...ran, modules: (await readFile(list, 'utf8')).split('\n').filter((line) => line !== '') }
}
