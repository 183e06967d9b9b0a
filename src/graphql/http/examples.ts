import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const FOLDER = fileURLToPath(new URL('../../../examples/graphql/', import.meta.url))
const ENDING = '.graphql'
const ABOUT = /^# (.+)$/m
const VARIABLES = /^# Variables: (\{.*\})\n/m

export interface Example {
  readonly name: string
  readonly about: string
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
}

export async function readExamples(): Promise<Example[]> {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith(ENDING))
  const names = files.map((file) => file.slice(0, -ENDING.length)).toSorted()
  return Promise.all(
    names.map(async (name) => {
      const source = await readFile(`${FOLDER}${name}${ENDING}`, 'utf8')
      const variables: Example['variables'] = JSON.parse(VARIABLES.exec(source)?.[1] ?? '{}')
      return { name, about: ABOUT.exec(source)?.[1] ?? '', query: source.replace(VARIABLES, ''), variables }
    }),
  )
}
