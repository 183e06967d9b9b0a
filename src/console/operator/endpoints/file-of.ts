import { at } from '../../api/base.ts'

/** Where the file of an endpoint or workflow is shown. */
export const fileOf = (slug: string): string => at(`/operator/endpoints/${slug}`)
