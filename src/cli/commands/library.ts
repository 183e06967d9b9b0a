import type { Command } from 'commander'
import { invalidRequest } from '../../errors/service-error.ts'
import type { LexiconEntry } from '../../lexicon/compile-lexicon.ts'
import type { AccountVoice } from '../../library/account-voices.ts'
import { actingFor, readInput } from '../options.ts'
import { operatorCommand } from '../run-command.ts'
import { type Column, toTable } from '../table.ts'

const VOICE_COLUMNS: readonly Column<AccountVoice>[] = [
  { head: 'voice', cell: ({ id }) => id },
  { head: 'name', cell: ({ name }) => name },
  { head: 'seconds', cell: ({ durationMs }) => Math.round(durationMs / 100) / 10 },
  { head: 'language', cell: ({ language }) => language },
  { head: 'created (UTC)', cell: ({ createdAt }) => createdAt.toISOString() },
]

const ACCOUNT = ['--account <account>', 'id or name'] as const

const ENTRY_COLUMNS: readonly Column<LexiconEntry>[] = [
  { head: 'word', cell: ({ grapheme }) => grapheme },
  { head: 'said as', cell: ({ alias }) => alias },
  { head: 'language', cell: ({ language }) => language ?? null },
]

interface AddOptions {
  readonly account: string
  readonly name: string
  readonly consent: string
  readonly refText?: string
  readonly language?: string
}

export function addVoiceCommands(program: Command): void {
  const voices = program.command('voices').description("an account's own voices")
  addAdd(voices)
  addList(voices)
  addRename(voices)
  addDelete(voices)
}

function addAdd(voices: Command): void {
  operatorCommand<AddOptions>(
    voices
      .command('add')
      .description('add a recording of 1 to 30 seconds as a voice, for endpoints with library_voices')
      .argument('<file>', 'WAV, FLAC, MP3, Ogg Opus or WebM, at most 10 MiB')
      .requiredOption(...ACCOUNT)
      .requiredOption('--name <name>', 'what it is called')
      .requiredOption('--consent <text>', 'how the speaker agreed, such as "release signed on 20 November"')
      .option('--ref-text <text>', 'what the recording says: some engines need it')
      .option('--language <language>', 'of the recording, such as English'),
    async (ctx, { account, name, consent, refText, language }, [file = '']) => {
      const { addVoice } = await import('../../library/change-voices.ts')
      const acting = await actingFor(ctx, account)
      const audio = await readAudio(file)
      const voice = await addVoice(acting, { name, consent, audio, transcript: refText, language })
      return { json: toJson(voice), text: `${voice.id}  ${voice.name}  ${(voice.durationMs / 1000).toFixed(1)} s` }
    },
  )
}

function addList(voices: Command): void {
  operatorCommand<{ account: string }>(
    voices
      .command('list')
      .description("list an account's own voices, oldest first")
      .requiredOption(...ACCOUNT),
    async (ctx, { account }) => {
      const { accountVoices } = await import('../../library/account-voices.ts')
      const all = await accountVoices(await actingFor(ctx, account))
      return { json: { items: all.map(toJson) }, text: toTable(VOICE_COLUMNS, all) }
    },
  )
}

function addRename(voices: Command): void {
  operatorCommand<{ account: string }>(
    voices
      .command('rename')
      .description('give a voice another name')
      .argument('<voice-id>', 'voice_…')
      .argument('<name>')
      .requiredOption(...ACCOUNT),
    async (ctx, { account }, [voiceId = '', name = '']) => {
      const { renameVoice } = await import('../../library/change-voices.ts')
      const voice = await renameVoice(await actingFor(ctx, account), { voiceId, name })
      return { json: toJson(voice), text: `${voice.id}  ${voice.name}` }
    },
  )
}

function addDelete(voices: Command): void {
  operatorCommand<{ account: string }>(
    voices
      .command('delete')
      .description('delete a voice with its recording')
      .argument('<voice-id>', 'voice_…')
      .requiredOption(...ACCOUNT),
    async (ctx, { account }, [voiceId = '']) => {
      const { deleteVoice } = await import('../../library/change-voices.ts')
      await deleteVoice(await actingFor(ctx, account), { voiceId })
      return { json: { voice_id: voiceId, deleted: true }, text: `${voiceId}  deleted` }
    },
  )
}

async function readAudio(file: string): Promise<Uint8Array> {
  const audio = await readInput(file)
  const { fileTooLarge, MAX_FILE_BYTES } = await import('../../http/multipart-body.ts')
  if (audio.length > MAX_FILE_BYTES) throw fileTooLarge()
  return audio
}

const toJson = ({ id, name, durationMs, transcript, language, createdAt }: AccountVoice) => ({
  voice_id: id,
  name,
  duration_ms: durationMs,
  ref_text: transcript,
  language,
  created_at: createdAt,
})

export function addLexiconCommands(program: Command): void {
  const lexicon = program.command('lexicon').description("how an account's words are said")

  operatorCommand<{ account: string }>(
    lexicon
      .command('show')
      .description('show the words of an account, and what is said instead of them')
      .requiredOption(...ACCOUNT),
    async (ctx, { account }) => {
      const { lexicon: showLexicon } = await import('../../lexicon/account-lexicon.ts')
      const { entries } = await showLexicon(await actingFor(ctx, account))
      return { json: { items: entries, entries }, text: toTable(ENTRY_COLUMNS, entries) }
    },
  )

  operatorCommand<{ account: string }>(
    lexicon
      .command('set')
      .description("replace an account's lexicon with the entries of a file")
      .argument('<file>', 'JSON as `show --json` prints it: {"entries": [{"grapheme": "SQL", "alias": "sequel"}]}')
      .requiredOption(...ACCOUNT),
    async (ctx, { account }, [file = '']) => {
      const { setLexicon } = await import('../../lexicon/account-lexicon.ts')
      const { entries } = await setLexicon(await actingFor(ctx, account), { entries: await readEntries(file) })
      return { json: { entries: entries.length }, text: `${entries.length} entries` }
    },
  )
}

async function readEntries(file: string): Promise<LexiconEntry[]> {
  const isText = (value: unknown) => typeof value === 'string'
  const isEntry = (entry: Partial<LexiconEntry> | null): boolean =>
    isText(entry?.grapheme) && isText(entry?.alias) && (entry?.language == null || isText(entry.language))
  const entries = entriesIn((await readInput(file)).toString())
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
