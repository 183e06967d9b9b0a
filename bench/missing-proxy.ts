import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Where bullmq-proxy lies, once somebody has put a checkout of it into node_modules: it is not in npm's registry. */
export function proxyDirectory(): string | null {
  try {
    return dirname(createRequire(import.meta.url).resolve('bullmq-proxy/package.json'))
  } catch {
    return null
  }
}

/** What bullmq-proxy needs and this machine has not, by name; none: it can run. */
export async function missingForProxy(): Promise<string[]> {
  const programs = await Promise.all([isThere('redis-server'), isThere('bun')])
  return [
    ...(proxyDirectory() === null
      ? ['the package bullmq-proxy (not in npm’s registry: a checkout in node_modules)']
      : []),
    ...['redis-server', 'bun'].filter((_program, index) => !programs[index]).map((program) => `${program} on the PATH`),
  ]
}

const isThere = (program: string) =>
  run(program, ['--version']).then(
    () => true,
    () => false,
  )
