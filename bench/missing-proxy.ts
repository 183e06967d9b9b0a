import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Where a checkout of bullmq-proxy lies in node_modules; null where there is none, as npm does not install it. */
export function proxyDirectory(): string | null {
  try {
    return dirname(createRequire(import.meta.url).resolve('bullmq-proxy/package.json'))
  } catch {
    return null
  }
}

/** Names what bullmq-proxy needs and lacks here; empty: it can run. */
export async function missingForProxy(): Promise<string[]> {
  const programs = await Promise.all([isThere('redis-server'), isThere('bun')])
  return [
    ...(proxyDirectory() === null ? ['a checkout of bullmq-proxy in node_modules'] : []),
    ...['redis-server', 'bun'].filter((_program, index) => !programs[index]).map((program) => `${program} on the PATH`),
  ]
}

const isThere = (program: string) =>
  run(program, ['--version']).then(
    () => true,
    () => false,
  )
