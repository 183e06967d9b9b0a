import type { Command } from 'commander'
import { operatorCommand } from '../run-command.ts'

interface ReadOptions {
  readonly language?: string
  readonly endpoint?: string
}

export function addReadCommand(program: Command): void {
  operatorCommand<ReadOptions>(
    program
      .command('read')
      .description('show the words in which a text is spoken: numbers, dates, amounts, abbreviations, symbols')
      .argument('<text>')
      .option('--language <language>', 'of the text, such as English; detected if not given')
      .option('--endpoint <slug>', 'the voice endpoint that is to speak it'),
    async (ctx, { language, endpoint }, [text = '']) => {
      const { reading } = await import('../../voice/reading.ts')
      const { spoken, language: read, tokens } = await reading(ctx, { text, language, slug: endpoint })
      return { json: { spoken, language: read, tokens }, text: spoken }
    },
    ['catalog'],
  )
}
