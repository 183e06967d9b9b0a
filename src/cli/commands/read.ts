import type { Command } from 'commander'
import { actingFor } from '../options.ts'
import { operatorCommand } from '../run-command.ts'

interface ReadOptions {
  readonly language?: string
  readonly endpoint?: string
  readonly voice?: string
  readonly account?: string
}

export function addReadCommand(program: Command): void {
  operatorCommand<ReadOptions>(
    program
      .command('read')
      .description('show the words in which a text is spoken: numbers, dates, amounts, abbreviations, symbols')
      .argument('<text>')
      .option('--language <language>', 'of the text, such as English; detected if not given')
      .option('--endpoint <slug>', 'the voice endpoint that is to speak it; if not given, no lexicon holds')
      .option('--voice <voice>', "one of the endpoint's voices; its first one if not given")
      .option('--account <account>', 'whose lexicon holds, by id or name; the oldest one if not given'),
    async (ctx, { language, endpoint, voice, account }, [text = '']) => {
      const { reading } = await import('../../voice/reading.ts')
      const acting = endpoint === undefined ? ctx : await actingFor(ctx, account ?? null)
      const { spoken, language: read, tokens } = await reading(acting, { text, language, slug: endpoint, voice })
      return { json: { spoken, language: read, tokens }, text: spoken }
    },
    ['catalog'],
  )
}
