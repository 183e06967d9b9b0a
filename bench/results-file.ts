import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { RowResult } from './measure.ts'
import { COLUMNS, cellsOf } from './report.ts'

const RESULTS = fileURLToPath(new URL('RESULTS.md', import.meta.url))
const INTRODUCTION =
  '# Results\n\n`npm run bench -- ROW --save` writes the section of a row. [README](README.md) says how rows are measured.\n'

/** Replaces the sections of these rows in RESULTS.md and keeps the others. */
export function saveResults(results: readonly RowResult[], quick: boolean): void {
  const text = existsSync(RESULTS) ? readFileSync(RESULTS, 'utf8') : INTRODUCTION
  writeFileSync(RESULTS, withSections(text, results, `${whereMeasured()}${quick ? ', `--quick`' : ''}`))
}

/** @param where the line below each heading */
export function withSections(text: string, results: readonly RowResult[], where: string): string {
  const [introduction, ...sections] = text.split(/^(?=## )/m)
  const written = new Map(sections.map((section) => [/^## (.*)$/m.exec(section)![1]!, section.trimEnd()]))
  for (const result of results) written.set(result.name, sectionOf(result, where))
  return `${[introduction!.trimEnd(), ...written.values()].join('\n\n')}\n`
}

const sectionOf = ({ name, measures, notes }: RowResult, where: string): string =>
  [
    `## ${name}`,
    '',
    where,
    '',
    line(COLUMNS),
    line(COLUMNS.map(() => '---')),
    ...measures.map((measure) => line(cellsOf(measure))),
    ...(notes.length > 0 ? ['', ...notes.map((note) => `- ${note}`)] : []),
  ].join('\n')

const line = (cells: readonly string[]): string => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`

function whereMeasured(): string {
  const commit = execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], { encoding: 'utf8' }).trim()
  return `${new Date().toISOString().slice(0, 10)}, commit ${commit}, ${availableParallelism()} cores, Node.js ${process.version}`
}
