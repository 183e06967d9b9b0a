import { jobDetail, jobName, NO_TEXT } from '../jobs/job-name.ts'
import type { DeliveryRowFragment } from '../operations.ts'
import { langOf } from '../parts/languages.ts'

type Named = Pick<DeliveryRowFragment, 'test' | 'job'>

/** A delivery as people recognise it: as its job, by its endpoint where no text is kept. */
export function deliveryName({ test, job }: Named): string {
  if (test) return 'Test'
  if (!job) return 'Deleted job'
  const name = jobName(job)
  return name === NO_TEXT ? job.endpointKey : name
}

/** More about its job, where the name does not say it. */
export function deliveryDetail({ test, job }: Named): string {
  if (test) return 'without a job'
  const detail = job ? jobDetail(job) : ''
  return detail === deliveryName({ test, job }) ? '' : detail
}

/** The language of the name. */
export const deliveryLang = ({ job }: Named) =>
  langOf(job?.__typename === 'VoiceJob' && job.textExcerpt ? job.language : null)

/** The receiver. */
export const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url)
