import { readFileSync } from 'node:fs'

const IMPORT = /^import \{([^}]*)\} from '([./]*\/operations\.ts)'$/gm
const MARK = '?operation='

/**
 * A plugin of Vite: each operation of `operations.ts` is a module of its own, so that its text comes with the screens that ask it. As one
 * module it would be in the first file as a whole, since some of it is needed there.
 */
export const splitOperations = () => ({
  name: 'split-operations',
  enforce: 'pre' as const,
  transform(code: string): string | undefined {
    return code.includes('/operations.ts') ? code.replaceAll(IMPORT, importsEach) : undefined
  },
  load(id: string): string | undefined {
    const [file, name] = id.split(MARK)
    return file === undefined || name === undefined ? undefined : operationOf(readFileSync(file, 'utf8'), name)
  },
})

/** Types are none at run time. */
function importsEach(_import: string, names: string, file: string): string {
  const operations = names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '))
  return operations.map((one) => `import { ${one} } from '${file}${MARK}${one.split(' as ')[0]}'`).join('; ')
}

/** The module of one operation or list. @param source of all; each stands on a line of its own */
function operationOf(source: string, name: string): string {
  const text = new RegExp(`^export const ${name}: [^=]* = (\\{.*\\}|\\[.*\\])$`, 'm').exec(source)?.[1]
  if (text === undefined) throw new Error(`operations.ts has no operation ${name}`)
  return `export const ${name} = ${text}`
}
