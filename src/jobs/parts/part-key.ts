export const partsFolder = (jobId: string, attempt: number): string => `${jobId}/${attempt}/live`

/** A WAV file; parts count from 0. */
export const partKey = (jobId: string, attempt: number, index: number): string =>
  `${partsFolder(jobId, attempt)}/${index}.wav`
