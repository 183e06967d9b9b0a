import type { ComponentChildren } from 'preact'
import { langOf } from '../parts/languages.ts'
import { jobDetail, jobName } from './job-name.ts'
import { JobSound } from './job-sound.tsx'
import { TagLinks } from './tag-links.tsx'

type Shown = Parameters<typeof JobSound>[0]['job'] & { readonly tags: readonly string[] }

/** A job in a list: it is heard, and named by its first words. */
export const JobCell = ({ job, href }: { readonly job: Shown; readonly href: string }) => (
  <div class="job-cell">
    <JobSound job={job} />
    <JobWords
      href={href}
      name={jobName(job)}
      lang={langOf(job.textExcerpt && job.language)}
      detail={<bdi>{jobDetail(job)}</bdi>}
    >
      <TagLinks tags={job.tags} />
    </JobWords>
  </div>
)

interface JobWordsProps {
  readonly href: string
  readonly name: string
  /** The tooltip; the name unless given. */
  readonly title?: string
  /** The language of the name. */
  readonly lang: string | undefined
  /** A second line; none if it is empty. */
  readonly detail: ComponentChildren
  readonly children?: ComponentChildren
}

/** The name of a row that leads to its page, over what tells it from others. */
export const JobWords = ({ href, name, title = name, lang, detail, children }: JobWordsProps) => (
  <div class="job-words">
    <a href={href} title={title} dir="auto" lang={lang}>
      {name}
    </a>
    {detail && (
      <span class="job-detail">
        {detail}
        {children}
      </span>
    )}
  </div>
)
