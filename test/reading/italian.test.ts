import { describeReadings } from './readings.ts'

describeReadings('Italian', {
  cardinal: `
    Ha 21 cugine, 1 fratello e 1 amica. | Ha ventuno cugine, un fratello e un’amica.
    C'erano 200 case e 1 uomo. | C'erano duecento case e un uomo.
    Aspetta 1 ora e 1 secondo. | Aspetta un’ora e un secondo.
    La città ha 1.250.300 abitanti. | La città ha un milione duecento cinquantamila trecento abitanti.
    Servono 2.345 voti e 1 studente. | Servono duemila trecento quarantacinque voti e uno studente.
  `,
  ordinal: `
    Abita al 4° piso, 2ª porta. | Abita al quarto piso, seconda porta.
    È la 25ª edizione del festival. | È la venticinquesima edizione del festival.
    È arrivato 11º in classifica. | È arrivato undicesimo in classifica.
    Abita al 2°B, 1a scala, la 2^ porta. | Abita al secondo B, prima scala, la seconda porta.
    Il Como è 15° in classifica, al 2° p. | Il Como è quindicesimo in classifica, al secondo piano.
  `,
  decimal: `
    L'indice è salito di 0,75 punti. | L'indice è salito di zero virgola settantacinque punti.
    Usa la versione 4.2 del programma. | Usa la versione quattro punto due del programma.
  `,
  fraction: `
    Metti 1/2 tazza di olio e 3/4 di litro di brodo. | Metti mezza tazza di olio e tre quarti di litro di brodo.
    Hanno votato i 2/3 dei soci. | Hanno votato i due terzi dei soci.
    Restano 1/15 e 7/8 del totale. | Restano un quindicesimo e sette ottavi del totale.
    Passano 3/4 d'ora. | Passano tre quarti d'ora.
    Metti 2 ½ tazze, ¼ kg e 1 ½ l. | Metti due tazze e mezza, un quarto di chilogrammo e un litro e mezzo.
    Bevi 1/2 bicchiere e 2/5 l. | Bevi mezzo bicchiere e due quinti di litro.
    Voto: 8/10; pag. 2/6; pressione 130/85. | Voto: otto su dieci; pagina due di sei; pressione cento trenta su ottantacinque.
  `,
  money: `
    Il biglietto costa 15,50 €. | Il biglietto costa quindici euro cinquanta centesimi.
    Deve 1 £ e paga 21 £. | Deve una sterlina e paga ventuno sterline.
    Il progetto costa 2,4 miliardi di euro. | Il progetto costa due virgola quattro miliardi di euro.
    Vale $ 3,25 a Miami. | Vale tre dollari venticinque centesimi a Miami.
  `,
  measure: `
    Il cubetto ha 1,0003 cm³. | Il cubetto ha uno virgola zero zero zero tre centimetri cubi.
    Corre a 12 km/h. | Corre a dodici chilometri per ora.
    È alto 1,75 m e pesa 71 kg. | È alto uno virgola settantacinque metri e pesa settantuno chilogrammi.
    La sala è di 24 m². | La sala è di ventiquattro metri quadrati.
    Il latte è a 4 °C. | Il latte è a quattro gradi Celsius.
    Usa 6 l e 250 ml. | Usa sei litri e duecento cinquanta millilitri.
    L'8% degli elettori; lo 0,5% in meno. | L'otto percento degli elettori; lo zero virgola cinque percento in meno.
    Il campo misura 3 ha. | Il campo misura tre ettari.
    Oggi ci sono 28° all'ombra. | Oggi ci sono ventotto gradi all'ombra.
    Potenza max: 200 W e 0,5 kWh/giorno | Potenza massima: duecento watt e zero virgola cinque chilowattora per giorno
    È al km 21. | È al chilometro ventuno.
    Consuma 6 l/100 km e fa 90 casi/100.000 ab. | Consuma sei litri ogni cento chilometri e fa novanta casi ogni centomila abitanti.
    Sono 80 m2, 50 battiti/min e 2 volte/anno. | Sono ottanta metri quadrati, cinquanta battiti al minuto e due volte all’anno.
    Compra un monitor da 27" e 3 cucch. di sale. | Compra un monitor da ventisette pollici e tre cucchiai di sale.
    Oggi max. 32°; vel. max 50 km/h; kg 3. | Oggi massimo trentadue gradi; velocità massima cinquanta chilometri per ora; tre chilogrammi.
    Misura 2 m x 80 cm. | Misura due metri per ottanta centimetri.
    Una scatola di 30 x 20 x 10 cm e un cavo da 2 x 1,5 mm². | Una scatola di trenta per venti per dieci centimetri e un cavo da due per uno virgola cinque millimetri quadrati.
    Paga 0,20 €/azione. Sale a 200° per 1 h. Uova x 4 persone. | Paga venti centesimi per azione. Sale a duecento gradi per un’ora. Uova per quattro persone.
  `,
  date: `
    È nata il 3 aprile 1999. | È nata il tre aprile mille novecento novantanove.
    La visita è il 7/11/2025. | La visita è il sette novembre duemila venticinque.
    Si videro il 2/12 alle 8:20. | Si videro il due dicembre alle otto e venti.
    Pubblicato il 2023-10-05. | Pubblicato il cinque ottobre duemila ventitre.
    Il 1 gennaio è festa. | Il primo gennaio è festa.
    L'8 marzo e il 1° maggio. | L'otto marzo e il primo maggio.
    Riunione: lunedì 3/2, 10:00-11:30 | Riunione: lunedì tre febbraio, dieci a undici e trenta
    La Grande Guerra (1915-18). | La Grande Guerra (mille novecento quindici a diciotto).
    Gli anni '60 e il '900. | Gli anni sessanta e il novecento.
    Ci vediamo oggi, 9/11, l'1/6 e martedì, 14/7. | Ci vediamo oggi, nove novembre, l'uno giugno e martedì, quattordici luglio.
    Anno 2022/23, fattura n. 7/2024, dal 04/2024. | Anno duemila ventidue ventitre, fattura numero sette barra duemila ventiquattro, dal aprile duemila ventiquattro.
    Apre lun.-ven. e chiude sab. dopo le 12. | Apre lunedì a venerdì e chiude sabato dopo le dodici.
    Da gen.-mar. 2023 al 2T24, 9/set/2021. | Da gennaio a marzo duemila ventitre al secondo trimestre del duemila ventiquattro, nove settembre duemila ventuno.
    Dal 44 d.C. ai secc. XV-XVI. | Dal quarantaquattro dopo Cristo ai secoli quindicesimo a sedicesimo.
    Nacque il 4-IX-1931. | Nacque il quattro settembre mille novecento trentuno.
  `,
  time: `
    Cena alle 21:15. | Cena alle ventuno e quindici.
    Apre dalle 9.00 alle 13.30. | Apre dalle nove alle tredici e trenta.
    Il treno parte alle 6:05. | Il treno parte alle sei e cinque.
    Cuocere 1 h 15 min a fuoco lento. | Cuocere un’ora e quindici minuti a fuoco lento.
    All'1:30 e alle 12:30. | All'una e trenta e alle dodici e trenta.
    Gol al 12' e al 45'+2'. | Gol al dodicesimo e al quarantacinquesimo più due.
    Ha impiegato 2'35'' e 1:58.332. | Ha impiegato due minuti e trentacinque secondi e un minuto e cinquantotto virgola trecento trentadue secondi.
    Dura 3 min 20 s, ore 8:30-14. | Dura tre minuti e venti secondi, ore otto e trenta a quattordici.
    Disse: "voglio 20". | Disse: "voglio venti".
    Ha corso in 1'05"123 e in 2h04:10. | Ha corso in un minuto e cinque virgola cento ventitre secondi e in due ore, quattro minuti e dieci secondi.
    Alle 8 e 1/2. | Alle otto e mezzo.
    È arrivato a 12" dal leader dopo 1h 20m. | È arrivato a dodici secondi dal leader dopo un’ora e venti minuti.
    La fig. 2a mostra la 2a prova. | La figura due a mostra la seconda prova.
  `,
  telephone: `
    Chiama il 347 1234567. | Chiama il tre quattro sette, uno due tre quattro cinque sei sette.
    Il numero è +39 02 1234 5678. | Il numero è più tre nove, zero due, uno due tre quattro, cinque sei sette otto.
    Tel. 02 1234567 | telefono zero due, uno due tre quattro cinque sei sette
    P. IVA 12345678901 | P. IVA uno due tre quattro cinque sei sette otto nove zero uno
    Numero verde 800 765 432 e 340 111 2222. | Numero verde otto zero zero, sette sei cinque, quattro tre due e tre quattro zero, uno uno uno, due due due due.
  `,
  range: `
    Bastano 6-8 uova, tra 4-5 ore, nelle pagg. 3-7. | Bastano da sei a otto uova, tra quattro e cinque ore, nelle pagine tre a sette.
    Leggi le pagine 12-18. | Leggi le pagine dodici a diciotto.
    La guerra del 1915-1918. | La guerra del mille novecento quindici a mille novecento diciotto.
    Ha preso 9,5/10. | Ha preso nove virgola cinque su dieci.
    Ci sono 1.500-2.000 posti in scala 1:50. | Ci sono da mille cinquecento a duemila posti in scala uno a cinquanta.
  `,
  roman: `
    Il XV secolo e il secolo V. | Il quindicesimo secolo e il secolo quinto.
    Tra il XVII e il XVIII secolo. | Tra il diciassettesimo e il diciottesimo secolo.
    Carlo V e Vittorio Emanuele III. | Carlo quinto e Vittorio Emanuele terzo.
    La regina Elisabetta II. | La regina Elisabetta seconda.
    Il capitolo IX del volume II. | Il capitolo nono del volume secondo.
    Il III Congresso e la V Fiera. | Il terzo Congresso e la quinta Fiera.
    Luigi XVI fu l'ultimo. | Luigi sedicesimo fu l'ultimo.
    Nel XIX e XX secolo. | Nel diciannovesimo e ventesimo secolo.
    Alla fine del sec. XIX, cap. XII. | Alla fine del secolo diciannovesimo, capitolo dodici.
    Abita in via XX Settembre; I trimestre. | Abita in via venti Settembre; primo trimestre.
    Tra XII e XIII sec.; il Vaticano II. | Tra dodicesimo e tredicesimo secolo; il Vaticano secondo.
  `,
  score: `
    La Roma ha vinto 4-2 contro la Lazio. | La Roma ha vinto quattro a due contro la Lazio.
    Sinner ha vinto 6-4, 3-6 e 7-5. | Sinner ha vinto sei a quattro, tre a sei e sette a cinque.
  `,
  electronic: `
    Scrivi a luca@gmail.com. | Scrivi a l u c a chiocciola gmail punto com.
    Visita www.governo.it/aiuto. | Visita w w w punto g o v e r n o punto it slash a i u t o.
    Segui @mar_7 e #GiornataDelLibro | Segui chiocciola m a r trattino basso sette e cancelletto Giornata Del Libro
    Lancia prova.py da shop.com.py. | Lancia p r o v a punto python da s h o p punto com punto p y.
    Apri carta_aprile.doc ora. | Apri c a r t a trattino basso a p r i l e punto d o c ora.
  `,
  serial: `
    La targa è CD 789 EF, il video ha 12K visualizzazioni. | La targa è C D sette otto nove E F, il video ha dodicimila visualizzazioni.
    Un volo con l'A380. | Un volo con l'A trecento ottanta.
    La legge 12/2009 | La legge dodici del duemila nove
    Il volo FR1234 e la sala 4C. | Il volo F R mille duecento trentaquattro e la sala quattro C.
    Il codice AB12CD34EF e via Po 3/C | Il codice A B uno due C D tre quattro E F e via Po tre barra C
    HDMI 1.4 e tabella 3.2. | HDMI uno punto quattro e tabella tre punto due.
    Il D.Lgs. 33/2013 e la L. 5/1992, art. 2, c. 3. | Il decreto legislativo trentatre del duemila tredici e la legge cinque del mille novecento novantadue, articolo due, comma tre.
    Ha 20 punti (5V, 5N, 3P). | Ha venti punti (cinque V, cinque N, tre P).
  `,
  math: `
    5 + 3 = 8 | cinque più tre uguale a otto
    x³ ≤ 10 | x al cubo minore o uguale a dieci
    La CO₂ dell'aria. | La C O due dell'aria.
    La SO2 e il NaCl. | La S O due e il N A C L.
    8:4=2; 9-3=6; 4·5=20; y² - 2y = 0 | otto diviso quattro uguale a due; nove meno tre uguale a sei; quattro per cinque uguale a venti; y al quadrato meno due y uguale a zero
    Circa 3·10⁶ m. | Circa tre per dieci alla sei metri.
  `,
  abbreviation: `
    il Card. Bianchi e il Rev. Neri | il cardinal Bianchi e il reverendo Neri
    Un frutto, p.es. una pera. | Un frutto, per esempio una pera.
    Il Sig. Ricci e la Dott.ssa Gallo. | Il signor Ricci e la dottoressa Gallo.
    Abitano in V.le Roma, n. 5. | Abitano in viale Roma, numero cinque.
    Ha preso pane, frutta, ecc. | Ha preso pane, frutta, eccetera.
    Morì nel 31 a.C. | Morì nel trentuno avanti Cristo.
    S. Pietro è a pag. 8. | San Pietro è a pagina otto.
    Lavora alla Gil S.p.A. Poi mangia, ecc. Dopo dorme. | Lavora alla Gil società per azioni. Poi mangia, eccetera. Dopo dorme.
    La sig.ra Neri, la dott.ssa Riva e il gen. Blu in v.le Po. | La signora Neri, la dottoressa Riva e il generale Blu in viale Po.
    Leggo J. L. Gil e M. de Santis. Prendo la vitamina C. Dopo dormo. | Leggo J L Gil e M de Santis. Prendo la vitamina C. Dopo dormo.
    S. Chiara, S. Ambrogio, S. Zeno e S. Carlo. | Santa Chiara, Sant’Ambrogio, Santo Zeno e San Carlo.
    Presso Neri, c/o Riva, e/o altri. | Presso Neri, presso Riva, e o altri.
    Cari/e amici/e, un alunno/a. | Cari e Care amici e amiche, un alunno o alunna.
    cmq nn so xké, x favore. | comunque non so perché, per favore.
    L'a.d. vive nel R.U. Prima viveva a p. terra. | L'amministratore delegato vive nel Regno Unito. Prima viveva a piano terra.
  `,
  acronym: `
    L'IVA e l'ONU, il PD e il PIL. | L'IVA e l'ONU, il P D e il PIL.
    La FIGC e la RAM. | La F I G C e la RAM.
  `,
  symbol: `
    Ricci & Figli © 2020 | Ricci e Figli copyright duemila venti
    100 ± 5 | cento più o meno cinque
  `,
})
