import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { invalidRequest } from '../../../errors/service-error.ts'
import type { LexiconEntry } from '../../../lexicon/compile-lexicon.ts'
import { actingFor } from '../../acting-for.ts'
import { operatorCommand } from '../../run-command.ts'
import { type Column, toTable } from '../../table.ts'

const COLUMNS: readonly Column<LexiconEntry>[] = [
  { head: 'word', cell: ({ grapheme }) => grapheme },
  { head: 'said as', cell: ({ alias }) => alias },
  { head: 'language', cell: ({ language }) => language ?? null },
]
const ACCOUNT = ['--account <account>', 'id or name'] as const

export function addLexiconCommands(program: Command): void {
  const lexicon = program.command('lexicon').description("how an account's words are said")

  operatorCommand<{ account: string }>(
    lexicon
      .command('show')
      .description('show the words of an account, and what is said instead of them')
      .requiredOption(...ACCOUNT),
    async (ctx, { account }) => {
      const { lexicon: showLexicon } = await import('../../../lexicon/account-lexicon.ts')
      const { entries } = await showLexicon(await actingFor(ctx, account))
      return { json: { items: entries, entries }, text: toTable(COLUMNS, entries) }
    },
  )

  operatorCommand<{ account: string }>(
    lexicon
      .command('set')
      .description("replace an account's lexicon with the entries of a file")
      .argument('<file>', 'JSON as `show --json` prints it: {"entries": [{"grapheme": "SQL", "alias": "sequel"}]}')
      .requiredOption(...ACCOUNT),
    async (ctx, { account }, [file = '']) => {
      const { setLexicon } = await import('../../../lexicon/set-lexicon.ts')
      const { entries } = await setLexicon(await actingFor(ctx, account), { entries: await readEntries(file) })
      return { json: { entries: entries.length }, text: `${entries.length} entries` }
    },
  )
}

async function readEntries(file: string): Promise<LexiconEntry[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw invalidRequest(`The file "${file}" cannot be read (${error.code}).`)
  })
  const isText = (value: unknown) => typeof value === 'string'
  const isEntry = (entry: Partial<LexiconEntry> | null): boolean =>
    isText(entry?.grapheme) && isText(entry?.alias) && (entry?.language == null || isText(entry.language))
  const entries = entriesIn(text)
  if (Array.isArray(entries) && entries.every(isEntry)) return entries
  throw invalidRequest(`Write "${file}" as JSON: {"entries": [{"grapheme": "SQL", "alias": "sequel"}]}.`)
}

function entriesIn(text: string): unknown {
  try {
    return (JSON.parse(text) as { entries?: unknown } | null)?.entries
  } catch {
    return null
  }
}
