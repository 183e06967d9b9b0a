import { describeReadings } from './readings.ts'

describeReadings('Spanish', {
  cardinal: `
    Tiene 21 primas y 31 primos. | Tiene veintiuna primas y treinta y un primos.
    Había 200 casas y 700 coches. | Había doscientas casas y setecientos coches.
    Compró 1 coche, 1 casa y 101 libros. | Compró un coche, una casa y ciento un libros.
    La población es de 1.250.300 personas. | La población es de un millón doscientos cincuenta mil trescientas personas.
    Vendió 21 mil entradas y 200 mil camisetas. | Vendió veintiuna mil entradas y doscientas mil camisetas.
    Faltan 5.000.000.000.000 de átomos. | Faltan cinco billones de átomos.
    2 de las 200 alumnas | dos de las doscientas alumnas
  `,
  ordinal: `
    Vive en el 4.º piso, 2.ª puerta. | Vive en el cuarto piso, segunda puerta.
    Fue el 1.er alcalde y la 3.ª alcaldesa. | Fue el primer alcalde y la tercera alcaldesa.
    Celebran la 25.ª edición del festival. | Celebran la vigesimoquinta edición del festival.
    Terminó 11.º en la clasificación. | Terminó undécimo en la clasificación.
    Vive en el 2ºB, 1er. piso. | Vive en el segundo B, primer piso.
  `,
  decimal: `
    El índice subió 0,75 puntos. | El índice subió cero coma setenta y cinco puntos.
    La nota media es 7,25. | La nota media es siete coma veinticinco.
    Usa la versión 4.2 del programa. | Usa la versión cuatro punto dos del programa.
    Mide 2.5. Nada más. | Mide dos coma cinco. Nada más.
    Vale 12'50 euros y pesa 2'5 kg. | Vale doce coma cincuenta euros y pesa dos coma cinco kilogramos.
  `,
  fraction: `
    Echa 1/2 cucharada de sal y 3/4 de litro de caldo. | Echa media cucharada de sal y tres cuartos de litro de caldo.
    Votaron 2/3 de los socios. | Votaron dos tercios de los socios.
    Quedan 1/15 y 7/8 del total. | Quedan un quinceavo y siete octavos del total.
    Añade ½ limón. | Añade medio limón.
    Pon 2 ½ vasos, ¼ kg y 1 ½ l. | Pon dos vasos y medio, un cuarto de kilogramo y un litro y medio.
    Arden 2/3 partes; el 1/4 de las casas. | Arden dos terceras partes; el un cuarto de las casas.
    Nota: 8/10; pág. 2/6; tensión 130/85. | Nota: ocho sobre diez; página dos de seis; tensión ciento treinta sobre ochenta y cinco.
  `,
  money: `
    La entrada cuesta 15,50 €. | La entrada cuesta quince euros cincuenta céntimos.
    Pagó 1 £ y debe 21 £. | Pagó una libra y debe veintiuna libras.
    El rescate costó 2.400 millones de euros. | El rescate costó dos mil cuatrocientos millones de euros.
    Vale $ 3,25 en Miami. | Vale tres dólares veinticinco centavos en Miami.
    Solo 4,99 €/mes. | Solo cuatro euros noventa y nueve céntimos por mes.
    Paga $ 300 MXN o U$S 20. | Paga trescientos pesos mexicanos o veinte dólares estadounidenses.
    Costó 4 mil M€ y 3 M€. | Costó cuatro mil millones de euros y tres millones de euros.
  `,
  measure: `
    Corre a 12 km/h. | Corre a doce kilómetros por hora.
    Mide 1,75 m y pesa 71 kg. | Mide uno coma setenta y cinco metros y pesa setenta y un kilogramos.
    El salón tiene 24 m². | El salón tiene veinticuatro metros cuadrados.
    La leche está a 4 °C. | La leche está a cuatro grados centígrados.
    Gasta 6 l y 250 ml. | Gasta seis litros y doscientos cincuenta mililitros.
    El 8 % de los votos; un 0,5% menos. | El ocho por ciento de los votos; un cero coma cinco por ciento menos.
    Añade 100 g de mantequilla. | Añade cien gramos de mantequilla.
    Potencia máx.: 200 W y 0,5 kWh/día | Potencia máxima: doscientos vatios y cero coma cinco kilovatios hora por día
    Está en el km 21. | Está en el kilómetro veintiuno.
    Gasta 6 l/100 km y emite 90 casos/100.000 hab. | Gasta seis litros cada cien kilómetros y emite noventa casos cada cien mil habitantes.
    Son 80 m2, 2 hab. y 50 lat/min. | Son ochenta metros cuadrados, dos habitaciones y cincuenta latidos por minuto.
    Compra un monitor de 27" y 3 cdas. de sal. | Compra un monitor de veintisiete pulgadas y tres cucharadas de sal.
    Hoy, máx. 32º; vel. máx. 50 km/h. | Hoy, máximo treinta y dos grados; velocidad máxima cincuenta kilómetros por hora.
    Mide 2 m x 80 cm. | Mide dos metros por ochenta centímetros.
    Una caja de 30 x 20 x 10 cm y un cable de 2 x 1,5 mm². | Una caja de treinta por veinte por diez centímetros y un cable de dos por uno coma cinco milímetros cuadrados.
    Paga 0,20 €/acción. Sube a 200º con 50 cc de agua. | Paga veinte céntimos por acción. Sube a doscientos grados con cincuenta centímetros cúbicos de agua.
  `,
  date: `
    Nació el 3 de abril de 1999. | Nació el tres de abril de mil novecientos noventa y nueve.
    La cita es el 7/11/2025. | La cita es el siete de noviembre de dos mil veinticinco.
    Se vieron el 2/12 a las 8:20. | Se vieron el dos de diciembre a las ocho y veinte.
    Publicado el 2023-10-05. | Publicado el cinco de octubre de dos mil veintitrés.
    El 1 de enero es festivo. | El primero de enero es festivo.
    Reunión: lunes 3/2, de 10:00-11:30 h | Reunión: lunes tres de febrero, de diez a once y media
    La Gran Guerra (1914-18). | La Gran Guerra (mil novecientos catorce a dieciocho).
    Nos vemos hoy, 9/11, y el martes, 14/7. | Nos vemos hoy, nueve de noviembre, y el martes, catorce de julio.
    Curso 2022/23, factura n.º 2024/007, desde 04/2024. | Curso dos mil veintidós veintitrés, factura número dos mil veinticuatro barra cero cero siete, desde abril de dos mil veinticuatro.
    Abre lun.-vie. y cierra los mar. por la tarde. | Abre lunes a viernes y cierra los martes por la tarde.
    De ene.-mar. 2023 al 2T24, 9/sep/2021. | De enero a marzo de dos mil veintitrés al segundo trimestre de dos mil veinticuatro, nueve de septiembre de dos mil veintiuno.
    Del 44 d. C. al s. XV-XVI. | Del cuarenta y cuatro después de Cristo al siglo quince a dieciséis.
    Vive en la Av. 9 de Julio 1450. | Vive en la avenida nueve de Julio mil cuatrocientos cincuenta.
    Nació el 4-IX-1931. | Nació el cuatro de septiembre de mil novecientos treinta y uno.
  `,
  time: `
    Cena a las 21:15. | Cena a las veintiuna y cuarto.
    El tren sale a las 6:30 h. | El tren sale a las seis y media.
    Despierta a las 7 a. m. | Despierta a las siete de la mañana.
    Abre de 9:00 a 14:00. | Abre de nueve a catorce.
    Cocer 1 h 15 min a fuego lento. | Cocer una hora y quince minutos a fuego lento.
    Llega a las 21 y sale a la 1. | Llega a las veintiuna y sale a la una.
    Gol en el 12' y en el min. 45+2. | Gol en el minuto doce y en el minuto cuarenta y cinco más dos.
    Tardó 2'35'' y 1:58.332. | Tardó dos minutos y treinta y cinco segundos y un minuto y cincuenta y ocho coma trescientos treinta y dos segundos.
    Dura 3 min 20 s, de 8:30-14 h. | Dura tres minutos y veinte segundos, de ocho y media a catorce horas.
    Dijo: 'tengo 30' y "quiero 20". | Dijo: 'tengo treinta' y "quiero veinte".
    Corrió en 1'05"123 y en 2h04:10. | Corrió en un minuto y cinco coma ciento veintitrés segundos y en dos horas, cuatro minutos y diez segundos.
    Atiende de 9.00 a 14.30. | Atiende de nueve a catorce y media.
    Llegó a 12" del líder tras 1h 20m. | Llegó a doce segundos del líder tras una hora y veinte minutos.
    Tomó 1 comp. durante 5 d. con agua. | Tomó un comprimido durante cinco días con agua.
  `,
  telephone: `
    Llame al 655 443 322. | Llame al seis cinco cinco, cuatro cuatro tres, tres dos dos.
    Mi número es el +34 93 222 11 00. | Mi número es el más treinta y cuatro, nueve tres, dos dos dos, uno uno, cero cero.
    Tel. 91 555 12 34 | teléfono nueve uno, cinco cinco cinco, uno dos, tres cuatro
    C. P. 28001 Madrid | código postal dos ocho cero cero uno Madrid
    Mi fijo es 93 456 78 90 y mi móvil 600 111 222. | Mi fijo es nueve tres, cuatro cinco seis, siete ocho, nueve cero y mi móvil seis cero cero, uno uno uno, dos dos dos.
    Hay 600 111 222 razones. | Hay seiscientos millones ciento once mil doscientas veintidós razones.
  `,
  range: `
    Hay entre 6-8 huevos. | Hay entre seis y ocho huevos.
    Leed las páginas 12-18. | Leed las páginas doce a dieciocho.
    La guerra de 1808-1814. | La guerra de mil ochocientos ocho a mil ochocientos catorce.
    Hornear 20-25 minutos. | Hornear veinte a veinticinco minutos.
    Sacó 9,5/10. | Sacó nueve coma cinco sobre diez.
    Habrá 1.500-2.000 plazas y 20-21 días en una escala 1:50. | Habrá mil quinientas a dos mil plazas y veinte a veintiún días en una escala uno a cincuenta.
  `,
  roman: `
    El siglo XV y el siglo V. | El siglo quince y el siglo quinto.
    Los siglos XVII y XVIII. | Los siglos diecisiete y dieciocho.
    Carlos V y Fernando VII. | Carlos quinto y Fernando séptimo.
    La reina Isabel II. | La reina Isabel segunda.
    El capítulo IX del tomo II. | El capítulo nueve del tomo dos.
    El III Congreso y la V Feria. | El tercer Congreso y la quinta Feria.
    Luis XVI fue el último. | Luis dieciséis fue el último.
    Nació en el s. XIX, cap. XII. | Nació en el siglo diecinueve, capítulo doce.
    La LXI Legislatura, MCMXCIX y la X marca. | La sexagésima primera Legislatura, mil novecientos noventa y nueve y la X marca.
    I Congreso de Poesía | primer Congreso de Poesía
    Los ss. XII y XIII; el Vaticano II. | Los siglos doce y trece; el Vaticano segundo.
  `,
  score: `
    El Betis ganó 4-2 al Cádiz. | El Betis ganó cuatro a dos al Cádiz.
    El partido terminó 0-0. | El partido terminó cero a cero.
    Nadal ganó 6-4, 3-6 y 7-5. | Nadal ganó seis a cuatro, tres a seis y siete a cinco.
    Alavés 1 - 0 Getafe. Ganó los sets 6/3 y 7/5. | Alavés uno a cero Getafe. Ganó los sets seis a tres y siete a cinco.
  `,
  electronic: `
    Escribe a luis@gmail.com. | Escribe a l u i s arroba gmail punto com.
    Visita www.gob.es/ayuda. | Visita w w w punto g o b punto e s barra a y u d a.
    Sigue a @mar_7 y #DíaDelLibro | Sigue a arroba m a r guion bajo siete y almohadilla Día Del Libro
    Abre carta_abril.doc ya. | Abre c a r t a guion bajo a b r i l punto d o c ya.
  `,
  serial: `
    El coche 5678 FGH y 15K euros, una pantalla 4K nueva. | El coche cinco seis siete ocho F G H y quince mil euros, una pantalla cuatro K nueva.
    El vuelo a bordo del A380. | El vuelo a bordo del A trescientos ochenta.
    El art. 21.3 de la Ley 12/2009 | El artículo veintiuno punto tres de la Ley doce de dos mil nueve
    El vuelo UX1234 y la sala 4C. | El vuelo U X mil doscientos treinta y cuatro y la sala cuatro C.
    El código AB12CD34EF y el IBAN ES12 3456 7890 1234 5678 9012 | El código A B uno dos C D tres cuatro E F y el IBAN E S uno dos, tres cuatro cinco seis, siete ocho nueve cero, uno dos tres cuatro, cinco seis siete ocho, nueve cero uno dos
    La calle 8 # 12-30 | La calle ocho número doce treinta
    HDMI 1.4 y tabla 3.2. | HDMI uno punto cuatro y tabla tres punto dos.
    Suma 20 puntos (5V, 5E, 3D). | Suma veinte puntos (cinco V, cinco E, tres D).
  `,
  math: `
    5 + 3 = 8 | cinco más tres igual a ocho
    El radio es π × 2. | El radio es pi por dos.
    x³ ≤ 10 | x al cubo menor o igual que diez
    El CO₂ del aire. | El C O dos del aire.
    El SO2 y el NaCl. | El S O dos y el N A C L.
    8:4=2; 9-3=6; 4·5=20; y² - 2y = 0 | ocho entre cuatro igual a dos; nueve menos tres igual a seis; cuatro por cinco igual a veinte; y al cuadrado menos dos y igual a cero
    Unos 3·10⁶ m. | Unos tres por diez elevado a seis metros.
  `,
  abbreviation: `
    la Cía. Vega, en Pl. Mayor | la compañía Vega, en plaza Mayor
    Vega y Cía. Luego vino. | Vega y compañía. Luego vino.
    Una fruta, p.ej. una pera. | Una fruta, por ejemplo una pera.
    El Sr. Ruiz y la Dra. Gil. | El señor Ruiz y la doctora Gil.
    D. Pablo y Dña. Inés viven en la Avda. del Puerto. | don Pablo y doña Inés viven en la avenida del Puerto.
    Compró pan, fruta, etc. | Compró pan, fruta, etcétera.
    En EE. UU. hay 50 estados. | En Estados Unidos hay cincuenta estados.
    Murió en el 31 a. C. | Murió en el treinta y uno antes de Cristo.
    La pág. 8 y el art. 12. | La página ocho y el artículo doce.
    El n.º 5 de la lista. | El número cinco de la lista.
    Vino de EE. UU. Ayer salió. | Vino de Estados Unidos. Ayer salió.
    Trabaja en Gil, S. L. Allí come, etc. Luego duerme. | Trabaja en Gil, sociedad limitada. Allí come, etcétera. Luego duerme.
    El presidente de EE. UU. llegó. | El presidente de Estados Unidos llegó.
    Leo a J. L. Gil. Tomo vitamina C. Después duermo. | Leo a J L Gil. Tomo vitamina C. Después duermo.
    Cuesta 5 € c/u, calle Sol, s/n, y/o c/ Luna. | Cuesta cinco euros cada uno, calle Sol, sin número, y o calle Luna.
    Los alumnos/as y el profesor/a abren el archivo(s). | Los alumnos y alumnas y el profesor o profesora abren el archivo o archivos.
    q tal? voy tb xq quiero; la letra q. | qué tal? voy también porque quiero; la letra q.
    M.ª Luz vive en R. U. Antes vivió en la U. E. | María Luz vive en Reino Unido. Antes vivió en la Unión Europea.
    El § 4 y los casos A y B, resp. | El párrafo cuatro y los casos A y B, respectivamente.
  `,
  acronym: `
    El IVA y la ONU, el DNI y el PP. | El IVA y la ONU, el D N I y el P P.
    RTVE y la RAM. | R T V E y la RAM.
  `,
  symbol: `
    Pérez & Hijos © 2020 | Pérez e Hijos copyright dos mil veinte
    100 ± 5 | cien más menos cinco
  `,
})
