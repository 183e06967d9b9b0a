import { at } from '../api/base.ts'
import type { NamedJobFragment } from '../operations.ts'
import { langOf } from '../parts/languages.ts'
import { anyJobName } from './job-name.ts'

interface JobLinkProps {
  readonly id: string
  /** Null after it was deleted. */
  readonly job: NamedJobFragment | null | undefined
  /** Leads its readers to the jobs. */
  readonly jobsPath?: string
}

/** A job in a row of something else, by its name. */
export function JobLink({ id, job, jobsPath = '/jobs' }: JobLinkProps) {
  if (!job) return <span class="faint">Deleted job</span>
  const words = job.__typename === 'VoiceJob' && job.textExcerpt
  const name = anyJobName(job)
  return (
    <a
      class="clip-cell"
      href={at(`${jobsPath}/${id}`)}
      dir="auto"
      lang={langOf(words && job.__typename === 'VoiceJob' ? job.language : null)}
      title={name}
    >
      {name}
    </a>
  )
}
