import { withoutAddresses } from './without-addresses.ts'

const MAX_NAME_CHARACTERS = 63
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

/** The name of an output in the job's `outputs` and in its storage key. */
interface OutputName {
  readonly output: string
  readonly fileName: string
}

/**
 * Names for values by the keys and positions that lead to them. Keys keep their case; one that is too long, holds control characters or an
 * address of the server is left out. No two names are alike, nor two file names, which have lower-case letters only.
 */
export function nameOutputs(paths: readonly (readonly (string | number)[])[], baseUrl: string): OutputName[] {
  const [names, fileNames] = [new Set<string>(), new Set<string>()]
  return paths.map((path) => {
    const output = unused(names, nameOf(path, baseUrl))
    return { output, fileName: unused(fileNames, fileNameOf(output)) }
  })
}

function nameOf(path: readonly (string | number)[], baseUrl: string): string {
  const [first, ...rest] = path
  const start = first === undefined || first === 0 ? 'output' : typeof first === 'number' ? `output_${first}` : first
  const name = [start, ...rest].join('.')
  const fits = name !== '' && name.length <= MAX_NAME_CHARACTERS && !CONTROLS.test(name) && name.isWellFormed()
  return fits && withoutAddresses(name, baseUrl) === name ? name : 'output'
}

function fileNameOf(name: string): string {
  const plain = name.toLowerCase().replace(/[^a-z0-9_-]/g, '_')
  return /^[a-z0-9]/.test(plain) ? plain : `output${plain}`
}

function unused(taken: Set<string>, wanted: string): string {
  let name = wanted
  for (let number = 1; taken.has(name); number++) name = `${wanted}_${number}`
  taken.add(name)
  return name
}
