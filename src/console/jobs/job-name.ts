import { sentence } from '../parts/format.ts'

interface Named {
  readonly __typename: string
  readonly type: string
  readonly endpointKey: string
  readonly textExcerpt?: string | null
  readonly voice?: string | null
  readonly voiceName?: string | null
  readonly language?: string | null
}

export const NO_TEXT = 'Text not kept'

/** A job as people recognise it: the first words of its text, else its type. */
export const jobName = ({ __typename, type, textExcerpt }: Named): string =>
  __typename === 'VoiceJob' ? textExcerpt || NO_TEXT : sentence(type)

/** The same for operators, who do not read the texts of other accounts: such a job is named by who speaks. */
export const anyJobName = (job: Named): string =>
  job.__typename === 'VoiceJob' && !job.textExcerpt
    ? `Speech by ${job.voiceName ?? job.voice ?? 'a voice'}`
    : jobName(job)

const TITLE_CHARACTERS = 60

/** A name as the title of a page: at most 60 characters, cut between two words where there are any. */
export function jobTitle(name: string): string {
  const [...characters] = name
  if (characters.length <= TITLE_CHARACTERS) return name
  const cut = characters.slice(0, TITLE_CHARACTERS).join('')
  return `${cut.replace(/\s\S*$/, '')}…`
}

/** Who speaks it, and in which language; the workflow or endpoint of other jobs. */
export const jobDetail = ({ __typename, endpointKey, voice, voiceName, language }: Named): string =>
  __typename === 'VoiceJob'
    ? [voiceName ?? voice, language].filter((part) => part != null && part !== '').join(' · ') || endpointKey
    : endpointKey
