import { parseSync } from 'vite'

interface Found {
  readonly line: number
  readonly lines: number
}

interface Node {
  readonly type?: string
  readonly start?: number
  readonly end?: number
}

const FUNCTIONS: ReadonlySet<string | undefined> = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
])

/** Every function of a source with the lines that it takes, from its name or its first parameter to its end. */
export function functionsOf(file: string, source: string): Found[] {
  const found: Found[] = []
  const lineAt = (offset: number): number => source.slice(0, offset).split('\n').length
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) walk(one)
    else if (value !== null && typeof value === 'object') {
      const { type, start = 0, end = 0 } = value as Node
      if (FUNCTIONS.has(type)) {
        const line = lineAt(start)
        found.push({ line, lines: lineAt(end) - line + 1 })
      }
      for (const child of Object.values(value)) walk(child)
    }
  }
  walk(parseSync(file, source).program)
  return found
}
