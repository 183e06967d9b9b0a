import { readFileSync } from 'node:fs'

export type Environment = Readonly<Record<string, string | undefined>>

/** Reads `NAME` or the file of `NAME_FILE`; an empty variable counts as absent. */
export function readVariable(env: Environment, name: string, violations: string[]): string | undefined {
  const direct = env[name] === '' ? undefined : env[name]
  const file = env[`${name}_FILE`] === '' ? undefined : env[`${name}_FILE`]
  if (file === undefined) return direct
  if (direct !== undefined) {
    violations.push(`Set either ${name} or ${name}_FILE, not both`)
    return undefined
  }
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unknown error'
    violations.push(`${name}_FILE names a file that cannot be read: ${file} (${reason})`)
    return undefined
  }
}
