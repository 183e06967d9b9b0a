import { withoutAddresses } from './without-addresses.ts'

const MAX_NAME_CHARACTERS = 63
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

interface OutputName {
  readonly output: string
  readonly fileName: string
}

/** Names from paths of values, distinct also in lower case. Long keys and internal addresses are left out. */
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
